import type { CommandAnswer, SuccessorAnswer } from '#contracts/proposal.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import type { Successor } from '#server/inbox/submit-successor.ts'
import type { ProposalRow } from './proposal-row.ts'
import { itemsOf } from './proposal-view.ts'
import type { Outcome } from './transition.ts'

type Parts = Pick<Services, 'garden'>

/** The outcome of a command as the caller sees it. */
export async function answerCommand(
  parts: Parts,
  caller: Caller,
  outcome: Result<Outcome>,
): Promise<Result<CommandAnswer>> {
  if (!outcome.ok) return outcome
  return ok({
    unchanged: outcome.value.unchanged,
    proposal: await itemFor(parts, caller, outcome.value.row),
  })
}

/** The same for resubmit and revert, whose outcome is a new proposal. */
export async function answerSuccessor(
  parts: Parts,
  caller: Caller,
  outcome: Result<Successor>,
): Promise<Result<SuccessorAnswer>> {
  if (!outcome.ok) return outcome
  const { row, inboxId, unchanged } = outcome.value
  return ok({ unchanged, proposal: await itemFor(parts, caller, row), inbox_id: inboxId })
}

async function itemFor({ garden }: Parts, caller: Caller, row: ProposalRow) {
  const [item] = await itemsOf(garden, [row], caller.role)
  if (!item) throw new Error('a row gives an item')
  return item
}
