/**
 * What an event may say beside its record: the ledger takes 16 KB, and a change is never refused because there is more to say of it. What is too
 * long is recorded by its size and digest, the longest members first; short ones and the record stay as they are.
 */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

type Details = Record<string, unknown>

/** The most that the ledger takes, as PostgreSQL writes it down. */
const DETAILS_BYTES = 16_384
/** Kept free for a record that the statement itself adds. */
const RECORD_BYTES = 8_192
export const ROOM_BESIDE_RECORD = DETAILS_BYTES - RECORD_BYTES

/** Of a list that is too long these stand in the event, if they are short. */
const FIRST_ITEMS = 5
const FIRST_BYTES = 1_024
/** The longest digits of a number with an exponent. */
const LONG_NUMBER = 330

export function boundedDetails(details: Details, room = DETAILS_BYTES): Details {
  const text = JSON.stringify(details)
  // A unit of text is three bytes at most, and PostgreSQL puts a space behind every comma and colon.
  if (text.length * 6 <= room && !/\de\+?\d/i.test(text)) return details
  const said: Details = JSON.parse(text)
  let over = bytesOf(said) - room
  const longest = Object.entries(said)
    .filter(([name]) => name !== 'record')
    .map(([name, value]) => ({ name, value, bytes: bytesOf(value) }))
    .sort((a, b) => b.bytes - a.bytes)
  for (const { name, value, bytes } of longest) {
    if (over <= 0) return said
    const short = summary(value)
    const less = bytes - bytesOf(short)
    if (less <= 0) continue
    said[name] = short
    over -= less
  }
  return over <= 0 ? said : withoutMembers(JSON.parse(text))
}

/** Where there are too many members, none of them long. */
function withoutMembers({ record, ...rest }: Details): Details {
  return { omitted: summary(rest), ...(record !== undefined && { record }) }
}

/** How much it is, and which: the SHA-256 of its canonical JSON. */
function summary(value: unknown): Details {
  const sha256 = createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex')
  if (typeof value === 'string') return { characters: value.length, sha256 }
  if (!Array.isArray(value)) return { count: Object.keys(Object(value)).length, sha256 }
  const first = value.slice(0, FIRST_ITEMS)
  return { count: value.length, sha256, ...(bytesOf(first) <= FIRST_BYTES && { first }) }
}

/** Of JSON, as `jsonb` becomes text. */
function bytesOf(value: unknown): number {
  if (typeof value === 'number') {
    const text = String(value)
    return text.includes('e') ? LONG_NUMBER : text.length
  }
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value))
  const parts = Array.isArray(value)
    ? value.map(bytesOf)
    : Object.entries(value).map(([name, one]) => bytesOf(name) + 2 + bytesOf(one))
  return parts.reduce((sum, bytes) => sum + bytes + 2, parts.length > 0 ? 0 : 2)
}
