import canonicalize from 'canonicalize'
import { sha256Hex } from '#server/ports/object-store.ts'

/** A value as JSON has it: what cannot be written is gone, so that it reads back the same from any store. */
export const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** SHA-256 of the canonical JSON (RFC 8785) of a value, 64 lower-case hex digits (contract page 03, section 8.3). */
export const digestOf = (value: unknown): string => sha256Hex(canonicalize(asJson(value)) ?? 'null')
