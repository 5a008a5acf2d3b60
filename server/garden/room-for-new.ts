import { type Obstacle, obstacleTo } from '#domain/garden/new-file.rules.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'

/**
 * Asked for each new file of one proposal in turn: why it cannot be made at this revision beside those asked for before, or null. The links,
 * executables and modules of the repository are in the way as well, though the garden does not show them. A file of the very
 * name is left to the diff, which says so itself.
 */
export function roomForNew(
  garden: Pick<GitRepository, 'list' | 'others'>,
  revision: string,
): (path: string) => Promise<Refusal | null> {
  let files: string[] | null = null
  let hidden: string[] = []
  return async (path) => {
    if (files === null) {
      const [list, others] = await Promise.all([garden.list(revision), garden.others(revision)])
      files = list.map((entry) => entry.path)
      hidden = others.map((other) => other.path)
    }
    const found = obstacleTo(path, hidden.length > 0 ? [...files, ...hidden] : files)
    files.push(path)
    return found && refusalOf(found, hidden)
  }
}

function refusalOf({ kind, path }: Obstacle, hidden: readonly string[]): Refusal | null {
  const details = { path }
  if (kind === 'twin') {
    const message = `Not a garden path: “${path}” is there, and differs in letter case or form alone.`
    return { code: 'PATH_NOT_ALLOWED', message, details }
  }
  if (kind === 'file_above')
    return { code: 'PATH_NOT_ALLOWED', message: `Not a garden path: “${path}” is no folder.`, details }
  if (kind === 'folder')
    return { code: 'TARGET_EXISTS', message: `“${path}” is there, and is a folder.`, details }
  return hidden.includes(path)
    ? { code: 'TARGET_EXISTS', message: `“${path}” is there, though the garden does not show it.`, details }
    : null
}
