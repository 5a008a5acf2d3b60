import type { Caller } from '#domain/authority/caller.ts'
import { type Action, may } from '#domain/authority/matrix.ts'
import type { Refusal } from '#domain/kernel/errors.ts'

/**
 * Why the caller may not do the action, or null. Nobody is asked to sign in first; what a guest may not read does not exist
 * for it [auth#I-Z3].
 */
export function refusalFor(caller: Caller, action: Action, reads: boolean): Refusal | null {
  if (caller.role === 'anonymous') return { code: 'AUTH_REQUIRED', message: 'Sign in first.' }
  if (may(caller.role, action)) return null
  if (caller.role === 'guest' && reads) return { code: 'NOT_FOUND', message: 'Not found.' }
  return { code: 'FORBIDDEN', message: 'Not enough rights for this.' }
}

export const STEP_UP_REQUIRED: Refusal = {
  code: 'STEP_UP_REQUIRED',
  message: 'Enter your password again to do this.',
}
