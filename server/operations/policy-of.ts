import { ACTIONS } from '#domain/authority/matrix.ts'
import { OPEN_OPERATIONS, type Operation, type Policy } from './operation.ts'

/** Who may call an operation, as the gate reads it. Throws on a right that nobody has decided, which stops the start. */
export function policyOf({ name, right, stepUp }: Operation): Policy {
  if (right === 'open') {
    const reason = OPEN_OPERATIONS[name]
    if (reason) return { open: reason }
  } else if (Object.hasOwn(ACTIONS, right ?? '')) {
    return stepUp ? { action: right, stepUp } : { action: right }
  }
  throw new Error(`${name}: "${right}" is no right that an operation may have`)
}
