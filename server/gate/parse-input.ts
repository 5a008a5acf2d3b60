import { z } from 'zod'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Kind } from '#server/operations/operation.ts'
import type { Face } from './face.ts'

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for an object that takes fields it does not name. */
export const isLoose = (schema: z.ZodType | null): boolean =>
  schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodUnknown

const lenient = new WeakMap<z.ZodObject, z.ZodType>()

/** The input by its schema, as the face treats fields that nobody knows. Without a schema nothing may be sent. */
export function parseInput(
  { input: schema, kind }: { input: z.ZodType | null; kind: Kind },
  value: unknown,
  face: Face,
): Result<unknown> {
  if (!schema) return nothingSent(value, face)
  const parsed = schemaFor(schema, face).safeParse(value)
  if (parsed.success) return ok(parsed.data)
  const place = kind === 'read' ? 'query' : 'body'
  return refuse(face.invalidInput({ error: parsed.error, place, value }))
}

function schemaFor(schema: z.ZodType, face: Face): z.ZodType {
  if (face.unknownFields === 'refused' || !(schema instanceof z.ZodObject) || isLoose(schema)) return schema
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
