/**
 * A guest's suggestion of a note ([zones#suggestions]): a comment in the inbox, tainted, from the zone, decided by the owner like any other. An
 * identical one that waits already counts as received.
 * The owner's switch is read in the transaction of the entry, under the zone's row lock, so that none is received after it was turned off.
 */
import sql from 'sql-template-tag'
import type { SuggestionInput } from '#contracts/suggestion.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { cutText } from '#domain/kernel/cut-text.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { zoneEnd } from '#domain/zone/zone-end.rules.ts'
import { takeAttempts } from '#server/auth/take-attempts.ts'
import type { Row } from '#server/ledger/rows.ts'
import { readableNote } from '#server/notes/readable-version.ts'
import { zoneState } from '#server/zones/zone-view.ts'
import { type InboxServices, submitEntry } from './submit-entry.ts'

/** Of one guest, and of all guests of a zone. */
const PER_GUEST = { max: 5, period: '15 minutes' } as const
const PER_ZONE = { max: 30, period: '1 hour' } as const

type ZoneRow = Row<'zone', 'folders' | 'tags' | 'status' | 'suggestions'>
type Received = Result<{ received: true }>

const refusal = (code: Refusal['code'], message: string): Result<never> => refuse({ code, message })
const NO_NOTE = 'There is no such note.'

export async function suggestChange(
  services: InboxServices,
  { path, text, quote }: SuggestionInput,
  caller: Caller,
): Promise<Received> {
  const { zoneId } = caller
  if (caller.role !== 'guest' || !zoneId) return refusal('FORBIDDEN', 'Only a guest of a zone can suggest.')
  const { rows } = await services.db.query<ZoneRow>(
    sql`SELECT z.folders, z.tags, z.suggestions, ${zoneState} AS status FROM zone z WHERE z.zone_id = ${zoneId} FOR SHARE`,
  )
  const zone = rows[0]
  const end = zoneEnd(zone?.status)
  if (!zone || end) return refuse(end ?? { code: 'NOT_FOUND', message: NO_NOTE })
  if (!zone.suggestions) return refusal('SUGGESTIONS_OFF', 'This zone doesn’t take suggestions.')
  const note = await readableNote(services.garden, zone, { path })
  if (note === null) return refusal('NOT_FOUND', NO_NOTE)
  const taken = await takeAttempts(services.db, [
    { subject: `suggest:${caller.sessionId}`, ...PER_GUEST },
    { subject: `suggest:zone:${zoneId}`, ...PER_ZONE },
  ])
  if (!taken.ok)
    return refuse({ ...taken.refusal, message: 'Too many suggestions. Wait before you send another.' })
  const entry = {
    intent: { action: 'propose-comment' as const, target: `notes/${note}`, payload: payloadOf(text, quote) },
  }
  const answer = await submitEntry(services, entry, caller, { sourceType: 'zone', tainted: true })
  if (answer.ok || answer.refusal.code === 'DUPLICATE_ENTRY') return ok({ received: true })
  const { code, message } = answer.refusal
  // Ids of entries and proposals are no guest's to know.
  return refuse({ code, message })
}

const LINE = /\r\n|[\r\n\u2028\u2029]/u

/** The guest's words stay words of a comment: the passage as a quote above them. */
function payloadOf(text: string, quote: string) {
  const quoted = quote === '' ? [] : [...quote.split(LINE).map((line) => `> ${line}`), '']
  const subject = (text.split(LINE, 1)[0] ?? '').replace(/\p{Cc}/gu, ' ').trim()
  return {
    kind: 'comment',
    text: `${[...quoted, ...text.split(LINE)].join('\n')}\n`,
    summary: cutText(`Suggestion: ${subject}`, 200).trim(),
  }
}
