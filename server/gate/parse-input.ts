import { z } from 'zod'
import { validationRefusal } from '#contracts/error.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Face } from './face.ts'

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for an object that takes fields it does not name. */
export const isLoose = (schema: z.ZodType | null): boolean =>
  schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodUnknown

const lenient = new WeakMap<z.ZodObject, z.ZodType>()

/** The input by its schema, as the face treats fields that nobody knows. Without a schema nothing may be sent. */
export function parseInput(schema: z.ZodType | null, value: unknown, face: Face): Result<unknown> {
  if (!schema) return nothingSent(value, face)
  const parsed = schemaFor(schema, face).safeParse(value)
  return parsed.success ? ok(parsed.data) : refuse(validationRefusal(parsed.error))
}

function schemaFor(schema: z.ZodType, face: Face): z.ZodType {
  if (face.unknownFields === 'refused' || !(schema instanceof z.ZodObject)) return schema
  const known = lenient.get(schema) ?? schema.strip()
  lenient.set(schema, known)
  return known
}

function nothingSent(value: unknown, face: Face): Result<undefined> {
  if (value === undefined || value === null || face.unknownFields === 'ignored') return ok(undefined)
  return unknownFields(isRecord(value) ? Object.keys(value) : [''])
}

/** 422 that names the fields which are not known; fine when there are none. */
export function unknownFields(fields: readonly string[]): Result<undefined> {
  if (fields.length === 0) return ok(undefined)
  const details = fields.slice(0, 50).map((field) => ({
    field: field.slice(0, 200),
    message: 'is not known here',
  }))
  return refuse({ code: 'VALIDATION_FAILED', message: 'Some fields are not valid.', details })
}
