import type { Refusal } from './errors.ts'

/** A use-case's outcome: refusals are values, exceptions are for what nobody foresaw. */
export type Result<T> = { ok: true; value: T } | { ok: false; refusal: Refusal }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const refuse = (refusal: Refusal): Result<never> => ({ ok: false, refusal })

/** True for an outcome among answers that may also be plain values. */
export const isResult = (value: unknown): value is Result<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  (('ok' in value && value.ok === true && 'value' in value) ||
    ('ok' in value && value.ok === false && 'refusal' in value))
