/**
 * A version of a note by its name: the commit and, where the note stood elsewhere then, the commits that renamed it since, newest first. So a name
 * leads to the path of the version without telling it.
 */
export type NamedVersion = { revision: string; renames: readonly string[] }

/** History goes on through so many renames. */
export const MOST_RENAMES = 20

export const VERSION_NAME = /^[0-9a-f]{40}(?:\.[0-9a-f]{40}){0,20}$/

export const versionName = ({ revision, renames }: NamedVersion): string => [revision, ...renames].join('.')

/** Of a text that matches `VERSION_NAME`. */
export function namedVersion(name: string): NamedVersion {
  const [revision = '', ...renames] = name.split('.')
  return { revision, renames }
}
