import { foldTag } from '../garden/tag.rules.ts'

/**
 * What of the garden a zone shows ([zones#scope]): a note is visible when it satisfies every list that is given:
 * it lies inside one of the folders, and it carries one of the tags. A zone without any list shows nothing.
 */
export type ZoneScope = { readonly folders: readonly string[]; readonly tags: readonly string[] }

/** Spellings of a name that differ in normal form alone are one folder. */
export const inFolder = (path: string, folder: string): boolean =>
  path.normalize('NFC').startsWith(`${folder.replace(/\/+$/, '').normalize('NFC')}/`)

export function noteInScope(scope: ZoneScope, path: string, tags: readonly string[]): boolean {
  if (scope.folders.length === 0 && scope.tags.length === 0) return false
  if (scope.folders.length > 0 && !scope.folders.some((folder) => inFolder(path, folder))) return false
  if (scope.tags.length === 0) return true
  const wanted = new Set(scope.tags.map(foldTag))
  return tags.some((tag) => wanted.has(foldTag(tag)))
}

/** True when every path lies in the scope; nothing is in scope when there is no path. */
export function pathsInScope(
  scope: ZoneScope,
  paths: readonly string[],
  tagsOf: (path: string) => readonly string[],
): boolean {
  return paths.length > 0 && paths.every((path) => noteInScope(scope, path, tagsOf(path)))
}
