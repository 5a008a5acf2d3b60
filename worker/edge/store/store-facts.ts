import { z } from 'zod'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { reasonOf } from '../fault.ts'

/**
 * What stands in the store for a project, read for a report: pointer, lock and lease as their writers left them [edge#store].
 *
 * Nothing is judged here by this node's clock, and nothing is written. An object that is there but cannot be understood is
 * `unreadable`, never absent. Only the fields named here leave this file: tokens of locks and leases do not.
 */
const seconds = z.number().nonnegative()
const POINTER = z.object({
  sha256: z.string().nullable(),
  content_sha256: z.string().nullish(),
  observations: z.int().nonnegative().nullish(),
  db_size: z.int().nonnegative().nullish(),
  /** Epoch seconds by the store's clock; nodes of today write a text. */
  timestamp: z.union([z.string(), seconds]).nullish(),
  term: z.int().nonnegative().nullish(),
})
const LOCK = z.object({
  hostname: z.string(),
  node_id: z.string().nullish(),
  timestamp: seconds,
  ttl_seconds: seconds.nullish(),
  released: z.boolean().nullish(),
})
const LEASE = z.object({
  primary_node_id: z.string(),
  expires_at: seconds,
  epoch: z.int().nonnegative(),
  term: z.int().nonnegative().nullish(),
  needs_ui_selection: z.boolean().nullish(),
})

export type Fact<T> = { state: 'absent' } | { state: 'unreadable'; why: string } | { state: 'read'; value: T }
export type StoreFacts = {
  pointer: Fact<z.infer<typeof POINTER>>
  lock: Fact<z.infer<typeof LOCK>>
  lease: Fact<z.infer<typeof LEASE>>
}

/** Reads all three at once; a read that failed is `unreadable` with the reason. */
export async function readStoreFacts(
  store: Pick<ObjectStore, 'get'>,
  canonicalId: string,
): Promise<StoreFacts> {
  const keys = projectKeys(canonicalId)
  const [pointer, lock, lease] = await Promise.all([
    readFact(store, keys.pointer, POINTER),
    readFact(store, keys.lock, LOCK),
    readFact(store, keys.lease, LEASE),
  ])
  return { pointer, lock, lease }
}

async function readFact<S extends z.ZodType>(
  store: Pick<ObjectStore, 'get'>,
  key: string,
  schema: S,
): Promise<Fact<z.infer<S>>> {
  try {
    const object = await store.get(key)
    if (object === null) return { state: 'absent' }
    const value = schema.safeParse(parseJson(object.bytes))
    if (value.success) return { state: 'read', value: value.data }
    const field = value.error.issues[0]?.path.join('.') || 'the whole'
    return { state: 'unreadable', why: `${key} is not understood (${field})` }
  } catch (error) {
    return { state: 'unreadable', why: reasonOf(error) }
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
