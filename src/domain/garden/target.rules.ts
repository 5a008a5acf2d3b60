import type { ErrorCode } from '../kernel/errors.ts'
import { PATTERNS } from '../kernel/ids.ts'
import { ok, type Result, refuse } from '../kernel/result.ts'
import { fileKey, type GardenPath, isNotePath, parseGardenPath } from './garden-path.ts'

/**
 * Where an address of an Inbox Entry lands ([garden#addresses]). The first word names the space.
 * `path` is the file in the garden repository; a bare `agents/<slug>` has none, nor have artifacts.
 */
export type Target =
  | { space: 'notes'; path: GardenPath }
  | { space: 'agents'; slug: string; path: GardenPath | null }
  | { space: 'artifacts'; artifactId: string }
  | { space: 'memory' | 'logic'; slug: string }

const no = (code: ErrorCode, message: string): Result<never> => refuse({ code, message })

/** Names in an agent's folder of the object store that the runtime alone writes: a file of the garden would come over its objects. */
const OF_RUNTIME: readonly string[] = ['runs', 'state.json']

/** Whether a path lies where the runtime keeps the objects of an agent: its runs, and its state. */
export function isOfRuntime(path: string): boolean {
  const [root = '', , name = ''] = path.split('/')
  return fileKey(root) === 'agents' && OF_RUNTIME.includes(fileKey(name))
}

function parseAgent(address: string, rest: string): Result<Target> {
  const [slug = '', ...inside] = rest.split('/')
  if (!PATTERNS.slug.test(slug)) return no('PATH_NOT_ALLOWED', 'The address names no agent.')
  if (inside.length === 0) return ok({ space: 'agents', slug, path: null })
  if (isOfRuntime(address)) return no('PATH_NOT_ALLOWED', "An agent's runs and state.json are the runtime's.")
  const path = parseGardenPath(address)
  return path.ok ? ok({ space: 'agents', slug, path: path.value }) : path
}

/** Reads an address such as `notes/Beds/North bed.md`; 422 `PATH_NOT_ALLOWED` when it leads to no place it may change. */
export function parseTarget(address: string): Result<Target> {
  const slash = address.indexOf('/')
  const [space, rest] = slash < 0 ? [address, ''] : [address.slice(0, slash), address.slice(slash + 1)]
  if (space === 'notes') {
    const path = parseGardenPath(rest)
    if (!path.ok) return path
    return isNotePath(rest)
      ? ok({ space, path: path.value })
      : no('PATH_NOT_ALLOWED', 'Notes may not enter agents/ or _bloom/.')
  }
  if (space === 'agents') return parseAgent(address, rest)
  if (space === 'artifacts') {
    return PATTERNS.artifact.test(rest)
      ? ok({ space, artifactId: rest })
      : no('PATH_NOT_ALLOWED', 'The address names no artifact.')
  }
  if (space === 'memory' || space === 'logic') {
    return PATTERNS.slug.test(rest)
      ? ok({ space, slug: rest })
      : no('PATH_NOT_ALLOWED', 'The address names no agent.')
  }
  return no('PATH_NOT_ALLOWED', 'The address begins with no known space.')
}

/** Where the comments on an address lie: of a note below its own path, of anything else below the address. */
export const commentFolder = (address: string): string =>
  `_bloom/comments/${address.startsWith('notes/') ? address.slice('notes/'.length) : address}`
/** The file of a comment on an address. */
export const commentPath = (address: string, proposalId: string): string =>
  `${commentFolder(address)}/${proposalId}.md`
/** The file of a note's summary. */
export const summaryPath = (note: string): string => `_bloom/summaries/${note}`
/** The file of tags that were added to an artifact. */
export const annotationPath = (artifactId: string): string =>
  `_bloom/annotations/artifacts/${artifactId}/tags.json`
