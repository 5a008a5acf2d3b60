import { createHash } from 'node:crypto'

/**
 * Names of projects and nodes in the object store [edge#identity].
 *
 * A project's id is derived from its name alone, so that all nodes agree without asking anybody.
 */
export const canonicalIdOf = (projectName: string): string =>
  createHash('sha256').update(projectName, 'utf8').digest('hex').slice(0, 16)

/** What a canonical id may look like, its own or one that another node made. */
export const CANONICAL_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Keys of a project's objects that every node reads. */
export const projectKeys = (canonicalId: string) => {
  const folder = `projects/${canonicalId}`
  return {
    pointer: `${folder}/sqlite/manifest.json`,
    lock: `${folder}/locks/active.lock`,
    lease: `${folder}/leadership/lease.json`,
  }
}
