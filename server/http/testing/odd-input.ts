/**
 * Input that nobody means: values for every field, bodies that are no JSON, shapes that schemas have to refuse. The same seed
 * gives the same input, so a failing case is repeated by its seed.
 */
import { z } from 'zod'

export type Dice = { next: () => number; pick: <T>(list: readonly T[]) => T }

/** mulberry32: small, quick, the same everywhere. */
export function dice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  return { next, pick: (list) => list[Math.floor(next() * list.length)] as never }
}

export const ODD_TEXTS = [
  '',
  ' ',
  'a',
  '0',
  '-1',
  '1e309',
  'NaN',
  'null',
  '99999999999999999999',
  '9223372036854775808',
  'x'.repeat(5_000),
  '../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  'notes/../x',
  'CON',
  '.git/config',
  '__proto__',
  'constructor',
  "'; DROP TABLE job; --",
  '$1',
  '\\',
  '%',
  '%00',
  '\u202e\u200b',
  '\ud83d\ude00'.repeat(50),
  '<script>alert(1)</script>',
  '\r\nx-injected: 1',
  '2026-13-45T99:99:99Z',
  '0000-00-00T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '00000000-0000-4000-8000-000000000000',
  'eyJhIjoxfQ',
  'bnVsbA',
  'W10',
  'MTIz',
  '1_ffffffff',
  '2026-01-01T00:00:00.000Z|x',
  'ZONE-0000-0000',
  'APPROVED',
  'notes/Beds/North.md',
] as const

export const ODD_VALUES: readonly unknown[] = [
  ...ODD_TEXTS,
  null,
  true,
  0,
  -1,
  0.5,
  2 ** 53,
  -(2 ** 63),
  1e308,
  [],
  {},
  [[]],
  [null],
  { length: -1 },
  { toString: 1 },
  Array(1_000).fill('x'),
  Array(30).fill({ a: [{ b: 1 }] }),
]

/** Bodies that are refused before any schema sees them. */
export const ODD_BODIES = [
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '1e999',
  '{"a":NaN}',
  '{"a":1,}',
  '{"a":"\\u0000"}',
  '{"a":"\\ud800"}',
  '{"__proto__":{"role":"owner"}}',
  '{"constructor":{"prototype":{"x":1}}}',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  `[${'1,'.repeat(2_000)}1]`,
  `{"a":"${'x'.repeat(110_000)}"}`,
  '\ufeff{}',
] as const

type JsonSchema = {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  format?: string
  minimum?: number
}

export const schemaOf = (schema: z.ZodType | undefined): JsonSchema =>
  schema ? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema) : {}

/** A value that nearly fits: the right shape, with something odd in about every third place. */
export function nearly(schema: JsonSchema, roll: Dice, ids: readonly string[], depth = 0): unknown {
  if (roll.next() < 0.3 || depth > 5) return roll.pick(ODD_VALUES)
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (variants) return nearly(roll.pick(variants), roll, ids, depth + 1)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return roll.pick(schema.enum)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') {
    const given = Object.entries(schema.properties ?? {}).filter(
      ([name]) => schema.required?.includes(name) || roll.next() < 0.6,
    )
    const fields = given.map(([name, field]) => [name, nearly(field, roll, ids, depth + 1)] as const)
    const extra = roll.next() < 0.1 ? [['unknown_field', 1] as const] : []
    return Object.fromEntries([...fields, ...extra])
  }
  if (type === 'array') {
    return Array.from({ length: Math.floor(roll.next() * 3) }, () =>
      nearly(schema.items ?? {}, roll, ids, depth + 1),
    )
  }
  if (type === 'integer' || type === 'number')
    return roll.pick([schema.minimum ?? 1, 1, 5, 50, 0, -1, 2 ** 31, 1e15])
  if (type === 'boolean') return roll.next() < 0.5
  return roll.next() < 0.5 ? roll.pick(ids) : roll.pick(ODD_TEXTS)
}
