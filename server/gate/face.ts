import type { z } from 'zod'
import { envelopeOf, validationRefusal } from '#contracts/error.contract.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { CORRELATION_IDS, type RequestIds } from '#server/auth/request-facts.ts'

/** Input that does not fit its schema: what was sent, where it stood, and what zod says of it. */
export type Misfit = { error: z.core.$ZodError; place: 'query' | 'body'; value: unknown }

/** How a wire looks to its clients, where wires differ. Status codes are the same on all. */
export type Face = {
  /** The JSON body of a refusal. */
  errorBody: (refusal: Refusal, requestId: string) => unknown
  /** The refusal of input that does not fit, with the details that this wire's `errorBody` shows. */
  invalidInput: (misfit: Misfit) => Refusal
  /** A field that no schema names: refused with 422, or left out. */
  unknownFields: 'refused' | 'ignored'
  /** What a missing body means to an operation with input. */
  emptyBody: 'object' | 'refused'
  requestIds: RequestIds
  /** People by their session beside machines by their key, or machines alone: a session means nothing there. */
  callers: 'people' | 'machines'
  /** How many requests a minute an identity has, counted apart from other wires; without it the limits of roles. */
  limit?: { scope: string; perMinute: number }
  /** Whether a repeat under one Idempotency-Key gets the kept answer; otherwise the header means nothing. */
  idempotencyKeys: 'kept' | 'ignored'
}

/** The product's own wires, REST and tRPC: the one envelope, strict fields, a missing body read as `{}`. */
export const PRODUCT_FACE: Face = {
  errorBody: envelopeOf,
  invalidInput: ({ error }) => validationRefusal(error),
  unknownFields: 'refused',
  emptyBody: 'object',
  requestIds: CORRELATION_IDS,
  callers: 'people',
  idempotencyKeys: 'kept',
}
