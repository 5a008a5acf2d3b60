/**
 * When the present content of a target may not be overwritten ([proposals#force]). An override is bound to the hash of the content that the
 * owner compared, so what came after that is never lost.
 */
import type { FreshnessView } from '#contracts/proposal.contract.ts'
import type { Override } from '#contracts/proposal-commands.contract.ts'
import type { Refusal } from '#domain/kernel/errors.ts'

export const PASSWORD_TO_OVERWRITE: Refusal = {
  code: 'STEP_UP_REQUIRED',
  message: 'Enter your password again to overwrite the target.',
}

const USELESS = 'The target is not in conflict with the proposal. Approve it without force.'
export const NEEDS_NO_FORCE: Refusal = {
  code: 'VALIDATION_FAILED',
  message: USELESS,
  details: [{ field: 'force', message: USELESS }],
}

type TargetChanged = Refusal & { code: 'TARGET_CHANGED'; details: Record<string, unknown> }

/** 409 `TARGET_CHANGED` with what the target is now. */
export function targetChanged(message: string, freshness: FreshnessView): TargetChanged {
  const { current_revision, current_hash } = freshness
  return { code: 'TARGET_CHANGED', message, details: { current_revision, current_hash, freshness } }
}

/** Why this is not what the override was confirmed for, or null when it is. */
export const overrideRefusal = (
  { over_hash }: Pick<Override, 'over_hash'>,
  freshness: FreshnessView,
): TargetChanged | null =>
  freshness.current_hash === over_hash
    ? null
    : targetChanged('The target has changed again. Review it before you overwrite it.', freshness)
