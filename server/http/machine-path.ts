/** The API reference, a page of the console below the API whose addresses it explains. */
export const API_REFERENCE_PATH = '/api/v1/docs'

/** Whether programs are answered at a path, by what the REST edge, tRPC or the sign-in library serve, and not by a page. */
export const isMachinePath = (path: string): boolean =>
  path !== API_REFERENCE_PATH && /^\/(?:api(?:\/|$)|health$|metrics$)/.test(path)
