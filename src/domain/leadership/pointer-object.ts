import { faultOf, isCount, isObject, isText, type JsonObject, orAbsent, parseObject } from './json-fields.ts'
import type { ObjectRead } from './protocol-effects.ts'

/** One of the last pushes, newest first, so that a push can be recognised after others came upon it. */
export type RecentPush = { readonly push_id: string; readonly sha256: string; readonly term: number }
export const MAX_RECENT = 20

/**
 * `manifest.json` as far as leadership reads it ([leadership#pointer]). Without a term it was written by a node that does not know it, and
 * counts as term 0; with `sha256: null` it is a stub that only fences, and readers of the data take it for absent.
 */
export type Pointer = {
  readonly sha256: string | null
  readonly content_sha256: string | null
  readonly observations: number | null
  readonly push_id: string | null
  readonly node_id: string | null
  readonly epoch: number
  readonly term: number
  readonly recent: readonly RecentPush[]
  /** Every field as it stands in the object. */
  readonly fields: JsonObject
}

export type PointerLook =
  | { state: 'absent'; etag: null; storeNow: number }
  | { state: 'present'; etag: string; storeNow: number; pointer: Pointer }
  | { state: 'unreadable'; reason: string }

const FORMS = {
  sha256: orAbsent(isText),
  content_sha256: orAbsent(isText),
  observations: orAbsent(isCount),
  push_id: orAbsent(isText),
  node_id: orAbsent(isText),
  epoch: orAbsent(isCount),
  term: orAbsent(isCount),
  recent: orAbsent((value) => Array.isArray(value)),
}

/** What an answer of the store says about the pointer. */
export function lookAtPointer(read: ObjectRead): PointerLook {
  if (read.found === 'unknown') return { state: 'unreadable', reason: read.reason }
  if (read.found === 'absent') return { state: 'absent', etag: null, storeNow: read.storeNow }
  const parsed = parseObject(read.text)
  if (!parsed.ok) return { state: 'unreadable', reason: parsed.fault }
  const fault = faultOf(parsed.value, FORMS)
  if (fault !== null) return { state: 'unreadable', reason: fault }
  return { state: 'present', etag: read.etag, storeNow: read.storeNow, pointer: pointerOf(parsed.value) }
}

/** The pointer of an object whose fields were found good. */
export function pointerOf(fields: JsonObject): Pointer {
  const given = fields as Partial<Omit<Pointer, 'fields'>>
  return {
    sha256: given.sha256 ?? null,
    content_sha256: given.content_sha256 ?? null,
    observations: given.observations ?? null,
    push_id: given.push_id ?? null,
    node_id: given.node_id ?? null,
    epoch: given.epoch ?? 0,
    term: given.term ?? 0,
    recent: (given.recent ?? []).filter(isRecentPush),
    fields,
  }
}

const isRecentPush = (value: unknown): value is RecentPush =>
  isObject(value) && isText(value.push_id) && isText(value.sha256) && isCount(value.term)

/** The term that fences pushes now: 0 where no pointer is, or one that knows none. */
export const fencedTerm = (look: Exclude<PointerLook, { state: 'unreadable' }>): number =>
  look.state === 'present' ? look.pointer.term : 0
