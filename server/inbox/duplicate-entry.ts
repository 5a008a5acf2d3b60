import type { Refusal } from '#domain/kernel/errors.ts'

/** The refusal of a change that waits for a decision already, or was approved a moment ago. */
export const duplicateEntry = (details: Record<string, string>): Refusal => ({
  code: 'DUPLICATE_ENTRY',
  message: 'The same change is already pending or has just been approved.',
  details,
})
