import sql from 'sql-template-tag'
import type { SelectPrimary } from '#contracts/leadership.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import type { Lease } from '#domain/leadership/lease-object.ts'
import type { SelectionOutcome } from '#domain/leadership/selection-protocol.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { leaseViewOf } from './leadership-view.ts'
import type { Before } from './lease-mirror.ts'
import { closeRefused, recordRefusal, requestDetails } from './selection-record.ts'

type Parts = Pick<Services, 'db'>
type Asked = { input: SelectPrimary; caller: Caller; before: Before }
type Refused = Refusal & { details?: Record<string, unknown> }

/** A store that does not keep conditions, or was not found out to: everywhere its one sentence. */
export const unfitStore = (sentence: string): Refused => ({ code: 'STORAGE_UNAVAILABLE', message: sentence })

/** What a person is told of a selection that did not come to be, or of which that is not known. */
export async function refusalOfOutcome(
  { db }: Parts,
  { input }: Asked,
  outcome: Exclude<SelectionOutcome, { outcome: 'selected' }>,
): Promise<Refused> {
  if (outcome.outcome === 'unknown')
    return {
      code: 'STORAGE_UNAVAILABLE',
      message:
        'The store did not say whether the lease was written. Look at the lease before you select again.',
    }
  if (outcome.code === 'EPOCH_STALE') return staleEpoch({ db }, input, outcome.winner)
  if (outcome.code === 'PUSH_IN_FLIGHT') return pushInFlight(outcome)
  const remedy = input.force && input.reason ? '' : REMEDY
  return { code: 'LEASE_UNKNOWN', message: `${named(outcome.reason)}.${remedy}` }
}

const REMEDY = ' An unreadable lease is replaced only with force and a reason.'
const named = (reason: string): string =>
  reason.startsWith('manifest.json') ? reason : `lease.json unreadable: ${reason}`

function pushInFlight({ holder, ageSeconds }: { holder: string | null; ageSeconds: number }): Refused {
  const age_seconds = Math.round(ageSeconds)
  return {
    code: 'PUSH_IN_FLIGHT',
    message: `The Push Lock is active since ${age_seconds} s: ${holder ?? 'a node'} is pushing. Wait until it is released, or select with force.`,
    details: { lock: { state: 'active', node_id: holder, age_seconds } },
  }
}

const NO_LEASE = 'There is no lease any more, or none yet. Look again before you select.'
const UNREAD_WINNER =
  'Somebody else wrote the lease first, and what stands now could not be read. Look again before you select.'

type Winner = Pick<Row<'membridge_selection'>, 'requested_by' | 'reason'>

/** Who came first: the person whose selection wrote that lease or began its term, or else the node that wrote it. */
async function staleEpoch(
  { db }: Parts,
  { cid }: SelectPrimary,
  lease: Lease | null | 'unread',
): Promise<Refused> {
  if (lease === null || lease === 'unread')
    return {
      code: 'EPOCH_STALE',
      message: lease === null ? NO_LEASE : UNREAD_WINNER,
      details: { lease: null, selected_by: null },
    }
  const { rows } = await db.query<Winner>(sql`SELECT s.requested_by, s.reason FROM membridge_selection s
    WHERE s.selection_id = ANY(${[lease.nonce, lease.term_nonce].filter(Boolean)}::text[]) AND s.canonical_id = ${cid} ORDER BY s.epoch DESC LIMIT 1`)
  const view = leaseViewOf(lease, cid)
  const [winner] = rows
  const by = winner ? `selected by ${winner.requested_by}` : `written by ${view.issued_by || 'a node'}`
  return {
    code: 'EPOCH_STALE',
    message: `The lease is of epoch ${lease.epoch} by now: ${lease.primary_node_id} is primary, ${by}.`,
    details: { lease: view, selected_by: winner?.requested_by ?? null },
  }
}

/** Records the refusal and answers it. `written` names the record that its lease had; `open` leaves that to the scan. */
export async function refuseSelection(
  { db }: Parts,
  { input, caller, before }: Asked,
  refusal: Refused,
  written: string | null = null,
): Promise<Result<never>> {
  const { code, message, details } = refusal
  const event = { ...requestDetails(input, before.holder), message, ...details }
  const refused = { cid: input.cid, caller, code, reason: input.reason, details: event }
  if (written === null) await recordRefusal(db, refused)
  else if (written !== 'open') await closeRefused(db, written, refused)
  return refuse(refusal)
}
