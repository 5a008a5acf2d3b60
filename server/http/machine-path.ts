/** The API reference, a page of the console below the API whose addresses it explains. */
export const API_REFERENCE_PATH = '/api/v1/docs'

/** The messages of a language as a script. */
export const isCatalogue = (path: string): boolean => /^\/messages\/[^/]+\.js$/.test(path)

/** Whether programs are answered at a path, by what the REST edge, tRPC or the sign-in library serve, or a script, and not by a page. */
export const isMachinePath = (path: string): boolean =>
  path !== API_REFERENCE_PATH &&
  (/^\/(?:api(?:\/|$)|lease\/|health$|metrics$)/.test(path) || isCatalogue(path))
