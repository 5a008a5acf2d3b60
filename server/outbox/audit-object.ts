/**
 * `audit/<YYYYMMDD>/<event_id>.json`: a sealed event as it stands in the chain, in the form of a line of an export.
 *
 *     {"event":<the very bytes that were hashed>,"hash":…,"number":…,"prev_hash":…,"sealed_at":…,"seq":…}
 *
 * An earlier version stored the bytes alone; such an object is as true, and says nothing of its position.
 */
import type { SealedEvent } from '#server/ledger/seal.ts'
import { exactly, type Standing } from './put-once.ts'

type Placed = Pick<SealedEvent, 'seq' | 'number' | 'prev_hash' | 'hash' | 'sealed_at' | 'body'>

/** Where the object of an event lies, by the day of `ts` in UTC. */
export const auditKey = (e: Pick<SealedEvent, 'ts' | 'event_id'>): string =>
  `audit/${e.ts.toISOString().slice(0, 10).replaceAll('-', '')}/${e.event_id}.json`

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** The text of the object. */
export const auditObject = (e: Placed): string =>
  `{"event":${e.body},"hash":"${hex(e.hash)}","number":${e.number},"prev_hash":"${hex(e.prev_hash)}",` +
  `"sealed_at":"${e.sealed_at.toISOString()}","seq":${e.seq}}`

/** What may stand under the key of this event. */
export const sameEvent = (e: Placed): Standing => exactly(auditObject(e), e.body)

/** What an object says: the hashed bytes, and the position in the chain where it is known. */
export type AuditObject = {
  body: string
  position: { seq: number; number: number; prev_hash: string; hash: string; sealed_at: string } | null
}

/** Reads an object of either form; throws a SyntaxError for anything else. */
export function parseAuditObject(text: string): AuditObject {
  const outer = JSON.parse(text) as Record<string, unknown>
  if (typeof outer.event_id === 'string') return { body: text, position: null }
  const { seq, number, prev_hash, hash, sealed_at, event } = outer as NonNullable<AuditObject['position']> & {
    event: unknown
  }
  const body = text.slice('{"event":'.length, text.lastIndexOf(',"hash":"'))
  const whole = Number.isSafeInteger(seq) && Number.isSafeInteger(number) && typeof event === 'object'
  if (!whole || `{"event":${body}` !== text.slice(0, 9 + body.length)) throw new SyntaxError('is no event')
  return { body, position: { seq, number, prev_hash, hash, sealed_at } }
}
