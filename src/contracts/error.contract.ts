import { z } from 'zod'
import { ERRORS, type ErrorCode, type Refusal, retryable } from '#domain/kernel/errors.ts'

const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]

/** The one envelope of every refusal and fault on REST and tRPC [auth#errors]. */
export const errorEnvelope = z
  .object({
    error: z
      .object({
        code: z.enum(codes),
        message: z.string(),
        details: z.unknown().optional(),
        retryable: z.boolean(),
      })
      .strict(),
    correlation_id: z.string(),
  })
  .strict()
export type ErrorEnvelope = z.infer<typeof errorEnvelope>

/** A refusal as it goes over a wire. */
export function envelopeOf(refusal: Refusal, correlationId: string): ErrorEnvelope {
  const { code, message, details } = refusal
  return {
    error: { code, message, ...(details === undefined ? {} : { details }), retryable: retryable(code) },
    correlation_id: correlationId,
  }
}

/** What zod found, as `details` of VALIDATION_FAILED: field paths and sentences, never the values. */
export function validationRefusal(error: z.core.$ZodError): Refusal {
  const details = error.issues.slice(0, 50).map((issue) => ({
    field: issue.path.map(String).join('.').slice(0, 200),
    message: issue.message.slice(0, 300),
  }))
  return { code: 'VALIDATION_FAILED', message: 'Some fields are not valid.', details }
}
