/**
 * Selection of a primary by a person ([membridge#selections]): read, refuse, record what is about to be written, write the lease, fence, audit object,
 * mirror, event. Killed anywhere behind the lease, the scan ends it in the same way; killed before, nothing has happened.
 */
import type { SelectPrimary, SelectPrimaryAnswer } from '#contracts/leadership.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { Lease } from '#domain/leadership/lease-object.ts'
import { type SelectionOutcome, selectPrimary } from '#domain/leadership/selection-protocol.ts'
import { type AuditWriter, writeAuditObject } from '#server/leadership/audit-object.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { CONTROL_PLANE, runOnStore } from './leadership-protocol.ts'
import { LOCK_SETTINGS, leaseViewOf } from './leadership-view.ts'
import { type Before, knownBefore } from './lease-mirror.ts'
import { refreshMirror } from './refresh-mirror.ts'
import { refusalOfOutcome, refuseSelection, unfitStore } from './refuse-selection.ts'
import { closePromoted, recordIntent } from './selection-record.ts'

type Parts = Pick<Services, 'db' | 'store' | 'storeConditions' | 'log'>
type Asked = { input: SelectPrimary; caller: Caller; before: Before }

/**
 * Makes a node the primary of a project. Refused with `EPOCH_STALE` and who came first, `PUSH_IN_FLIGHT`, `LEASE_UNKNOWN`, or `STORAGE_UNAVAILABLE` for a store that is not fit or leaves the
 * outcome open. A node that was never heard of is accepted and said to be unknown. A reason is for the caller to demand.
 */
export async function promotePrimary(
  services: Parts,
  given: SelectPrimary,
  caller: Caller,
): Promise<Result<SelectPrimaryAnswer>> {
  const input = { ...given, reason: given.reason && redactText(given.reason).slice(0, REASON_MAX) }
  const before = await knownBefore(services.db, input.cid, input.primary_node_id)
  const asked = { input, caller, before }
  const { refusal } = await services.storeConditions.ensure()
  if (refusal !== null) return refuseSelection(services, asked, unfitStore(refusal))
  const { outcome, written, audited } = await select(services, asked)
  if (outcome.outcome !== 'selected') {
    const refused = await refusalOfOutcome(services, asked, outcome)
    if (outcome.outcome === 'unknown') services.db.notify('leadership')
    return refuseSelection(services, asked, refused, outcome.outcome === 'unknown' ? 'open' : written)
  }
  const isWhole = outcome.fenced && audited
  await refreshMirror(services, input.cid)
  if (isWhole) await closePromoted(services.db, nonceOf(outcome.lease), caller, input.reason)
  else services.db.notify('leadership')
  return ok(answerOf(asked, outcome.lease, outcome.fenced))
}

const REASON_MAX = 2_000

type Selected = { outcome: SelectionOutcome; written: string | null; audited: boolean }

/** The steps in the store. `written`: the record that was made, if it came to that. */
async function select(services: Parts, { input, caller, before }: Asked): Promise<Selected> {
  let written: string | null = null
  let audited = false
  const intent = { input, caller, previous: before.holder }
  const audit: AuditWriter = async (entry) => {
    await writeAuditObject(services.store, entry)
    audited = true
  }
  const outcome = await runOnStore(
    services,
    selectPrimary(
      {
        ...{ canonicalId: input.cid, primaryNodeId: input.primary_node_id, issuedBy: CONTROL_PLANE },
        ...{ leaseSeconds: input.lease_seconds, expectedEpoch: input.expected_epoch },
        ...{ force: input.force, reason: input.reason },
      },
      LOCK_SETTINGS,
      before.known,
    ),
    {
      cid: input.cid,
      actor: caller.identity,
      audit,
      beforeWrite: async ({ object, text }) => {
        if (object !== 'lease') return
        await recordIntent(services.db, intent, text)
        written = nonceOf(JSON.parse(text))
      },
    },
  )
  return { outcome, written, audited }
}

const nonceOf = ({ nonce }: Pick<Lease, 'nonce'>): string => nonce ?? ''

function answerOf({ input, before }: Asked, lease: Lease, fenced: boolean): SelectPrimaryAnswer {
  const { cid, primary_node_id } = input
  const [epoch, term] = [lease.epoch, lease.term ?? 0]
  const rest = fenced ? '' : ' The fence of the term could not be written yet; the worker repeats it.'
  return {
    ...{ ok: true, canonical_id: cid, primary_node_id, lease_seconds: lease.lease_seconds },
    detail: `${primary_node_id} is primary of ${cid}: epoch ${epoch}, term ${term}.${rest}`,
    ...{ epoch, term, known_node: before.knownNode, lease: leaseViewOf(lease, cid) },
  }
}
