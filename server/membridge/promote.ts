/**
 * A promotion by a person at the console or the gateway: what it would cost is worked out again from what stands now ([membridge#preflight]), so that nobody
 * loses more records than was shown, and nothing is lost or forced without the password. The selection itself is that of the control plane.
 */

import type { SelectPrimaryAnswer } from '#contracts/leadership.contract.ts'
import type { ProjectLeadership, Promote, Promotion } from '#contracts/leadership-console.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { isLossAccepted, lossOf, preflightPromotion } from '#domain/membridge/promotion.rules.ts'
import { STEP_UP_REQUIRED } from '#server/auth/authorize.ts'
import type { Services } from '#server/services.ts'
import { getLeadership } from './get-leadership.query.ts'
import { promotePrimary } from './promote-primary.ts'

type Parts = Pick<Services, 'db' | 'store' | 'storeConditions' | 'log'>
type By = { caller: Caller; steppedUp: boolean }

/** Makes a node the primary. Refused with the loss when it is greater than the one accepted, with `STEP_UP_REQUIRED`, or as `promotePrimary` does. */
export async function promote(
  services: Parts,
  input: Promote,
  { caller, steppedUp }: By,
): Promise<Result<Promotion>> {
  const now = await getLeadership(services, input)
  if (!now.ok) return now
  const { accepted_loss: _, ...selection } = input
  const isLate = isStale(now.value, input)
  const refusal = isLate ? null : whyNot(now.value, input, steppedUp)
  if (refusal) return refuse(refusal)
  // What was not judged forces nothing.
  const promoted = await promotePrimary(services, { ...selection, force: input.force && !isLate }, caller)
  return promoted.ok ? ok(promotionOf(promoted.value)) : promoted
}

/** Epochs only grow: one that is behind is refused whatever comes, by the selection, which says who won. */
const isStale = ({ epoch }: ProjectLeadership, { expected_epoch }: Promote): boolean =>
  expected_epoch < (epoch ?? 0)

function whyNot(now: ProjectLeadership, input: Promote, steppedUp: boolean): Refusal | null {
  const preflight = preflightPromotion(now, input.primary_node_id)
  const loss = lossOf(preflight)
  if (!isLossAccepted(preflight, input.accepted_loss))
    return { code: 'CONCURRENT_MODIFICATION', message: lossMessage(loss), details: { loss } }
  return (input.force || loss !== 0) && !steppedUp ? STEP_UP_REQUIRED : null
}

const lossMessage = (loss: number | null): string =>
  loss === null
    ? 'The loss of records from the shared copy can’t be determined. Accept that with "accepted_loss": null.'
    : `At least ${loss} records would be lost from the shared copy. Push them first, or accept that with "accepted_loss": ${loss}.`

const promotionOf = ({
  ok: _,
  lease_seconds: __,
  detail: ___,
  ...promotion
}: SelectPrimaryAnswer): Promotion => promotion
