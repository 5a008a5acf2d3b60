import { envelopeOf } from '#contracts/error.contract.ts'
import type { Refusal } from '#domain/kernel/errors.ts'

/** How a wire looks to its clients, where wires differ. Status codes and headers are the same on all. */
export type Face = {
  /** The JSON body of a refusal. */
  errorBody: (refusal: Refusal, correlationId: string) => unknown
  /** A field that no schema names: refused with 422, or left out. */
  unknownFields: 'refused' | 'ignored'
  /** What a missing body means to an operation with input. */
  emptyBody: 'object' | 'refused'
}

/** The product's own wires, REST and tRPC: the one envelope, strict fields, a missing body read as `{}`. */
export const PRODUCT_FACE: Face = { errorBody: envelopeOf, unknownFields: 'refused', emptyBody: 'object' }
