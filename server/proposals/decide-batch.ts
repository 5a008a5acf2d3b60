/**
 * Decides several proposals by one request ([proposals#batch]). It is no transaction: each is decided by itself, in the order given, by the
 * same use-cases as one alone, and what fails keeps no other from being decided. A process that dies on the way has decided some of
 * them; the request repeated decides the others and leaves those alone.
 */
import type {
  BatchAnswer,
  BatchFailure,
  BatchInput,
  BatchResult,
} from '#contracts/proposal-batch.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { decisionHolds } from '#domain/proposal/batch.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { refusalOf } from '#server/auth/refusal-of.ts'
import type { Services } from '#server/services.ts'
import { approveProposal, type DecisionServices, noteRefusal, rejectProposal } from './decide-proposal.ts'
import { findProposal } from './proposal-row.ts'
import type { Outcome } from './transition-proposal.ts'

type BatchServices = DecisionServices & Pick<Services, 'log'>

/** `PATCH /proposals/batch`. One after another: a batch never holds more than one connection of the ledger. */
export async function decideBatch(
  services: BatchServices,
  input: BatchInput,
  caller: Caller,
): Promise<Result<BatchAnswer>> {
  const missing = input.status === proposalMachine.events.reject.to && noteRefusal(input.decision_note ?? '')
  if (missing) return refuse(missing)
  const results: BatchResult[] = []
  for (const id of input.proposal_ids) results.push(await decideOne(services, { ...input, id }, caller))
  const count = (wanted: BatchResult['outcome']) => results.filter(({ outcome }) => outcome === wanted).length
  const errors = results.filter((result): result is BatchFailure => result.outcome === 'error')
  return ok({ updated: count('updated'), skipped: count('skipped'), results, errors })
}

type One = BatchInput & { id: string }

async function decideOne(services: BatchServices, one: One, caller: Caller): Promise<BatchResult> {
  const { db, log } = services
  const proposal_id = one.id
  try {
    const row = await findProposal(db, proposal_id)
    // A repeat is no attempt, so nothing is recorded as refused.
    if (row && decisionHolds(one.status, row.status))
      return { proposal_id, outcome: 'skipped', status: row.status }
    const decided = await decide(services, one, caller)
    if (!decided.ok) {
      const now = await findProposal(db, proposal_id)
      return failure(proposal_id, now?.status ?? null, decided.refusal)
    }
    const { unchanged, row: after } = decided.value
    return { proposal_id, outcome: unchanged ? 'skipped' : 'updated', status: after.status }
  } catch (error) {
    const { refusal, expected } = refusalOf(error)
    if (!expected) log.error({ err: error, proposal_id }, 'a proposal of a batch could not be decided')
    return failure(proposal_id, null, refusal)
  }
}

const failure = (
  proposal_id: string,
  status: BatchFailure['status'],
  { code, message }: Refusal,
): BatchFailure => ({ proposal_id, outcome: 'error', status, code, message })

function decide(services: BatchServices, one: One, caller: Caller): Promise<Result<Outcome>> {
  const { id: proposal_id, status, decision_note = '', reason_code, review_digests = {} } = one
  if (status === proposalMachine.events.reject.to)
    return rejectProposal(services, { proposal_id, decision_note, reason_code }, caller)
  const review_digest = review_digests[proposal_id]
  return approveProposal(services, { proposal_id, review_digest, pinsCurrent: true }, caller)
}
