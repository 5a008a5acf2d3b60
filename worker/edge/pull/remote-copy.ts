import { z } from 'zod'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { EdgeFault } from '../fault.ts'
import type { DatabaseCounts } from '../sqlite/database-facts.ts'

/**
 * The remote copy as the pointer names it [edge#remote-copy].
 *
 * A pointer that nodes of today wrote has no content digest, no term, and perhaps no count: what it does not say is not checked. A
 * stub names no data and counts as absent. One that is not understood is a fault, never absence.
 */
export type RemoteCopy = {
  sha256: string
  contentSha256: string | null
  bytes: number | null
  counts: Partial<DatabaseCounts>
  term: number
}

const DIGEST = z.string().regex(/^[0-9a-f]{64}$/)
const COUNT = z.int().nonnegative().nullish()
const POINTER = z.object({
  sha256: DIGEST.nullish(),
  content_sha256: DIGEST.nullish(),
  db_size: COUNT,
  observations: COUNT,
  session_summaries: COUNT,
  user_prompts: COUNT,
  tables: z.unknown().optional(),
  term: COUNT,
})

/** What the pointer names now; null while nobody has pushed. Throws `EdgeFault`, and what the store throws. */
export async function readRemoteCopy(
  store: Pick<ObjectStore, 'get'>,
  canonicalId: string,
): Promise<RemoteCopy | null> {
  const key = projectKeys(canonicalId).pointer
  const object = await store.get(key)
  if (object === null) return null
  const parsed = POINTER.safeParse(parseJson(object.bytes))
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') || 'the whole'
    throw new EdgeFault(`${key} is not understood (${field}): push again from the primary`)
  }
  const { sha256, content_sha256: content = null, db_size: bytes = null, term } = parsed.data
  if (sha256 === null || sha256 === undefined) return null
  return { sha256, contentSha256: content, bytes, counts: countsIn(parsed.data), term: term ?? 0 }
}

/** The counts it names. Number of tables only from those who count as this node does: they also give a content digest. */
function countsIn(pointer: z.infer<typeof POINTER>): Partial<DatabaseCounts> {
  const { observations, session_summaries, user_prompts, tables, content_sha256 } = pointer
  const named = { observations, session_summaries, user_prompts, tables: content_sha256 ? tables : null }
  return Object.fromEntries(Object.entries(named).filter(([, count]) => typeof count === 'number'))
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
