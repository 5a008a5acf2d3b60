/**
 * Fields that do not fit, in the list form of the Membridge wires [control-plane#wire]: where each stands, a sentence, and the rule it breaks. The
 * control plane and the agent of a node answer alike.
 */
import type { z } from 'zod'

/** One field that does not fit. */
export type FieldFault = { loc: (string | number)[]; msg: string; type: string }

/** What was sent in `place` (`body`, `query`), and what its schema says of it. */
export type Unfit = { error: z.core.$ZodError; place: string; value: unknown }

const MAX_FAULTS = 50
const MAX_TEXT = 300

/** A list of at most 50; a field that is not there is `missing`, whatever its schema calls it. */
export function fieldFaults({ error, place, value }: Unfit): FieldFault[] {
  return error.issues.slice(0, MAX_FAULTS).map(({ path, code, message }) => {
    const loc = [place, ...path.map((step) => (typeof step === 'number' ? step : String(step).slice(0, 200)))]
    if (path.length > 0 && isAbsent(value, path)) return { loc, msg: 'Field required', type: 'missing' }
    return { loc, msg: message.slice(0, MAX_TEXT), type: code }
  })
}

const isAbsent = (value: unknown, path: readonly PropertyKey[]): boolean =>
  path.reduce<unknown>(
    (at, step) => (at as Record<PropertyKey, unknown> | null | undefined)?.[step],
    value,
  ) === undefined
