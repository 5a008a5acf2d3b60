import type { JsonSchema } from './openapi.ts'

/** A field of a body or a parameter as a row of the reference; `name` is its path (`items[].status`). */
export type ApiField = { name: string; type: string; required: boolean; limits: string }

const MAX_DEPTH = 4

/** The fields of a schema, each with those inside it below it; deeper than four levels, only their type. */
export function fieldsOf(schema: JsonSchema | undefined, prefix = '', depth = 0): ApiField[] {
  if (!schema || depth >= MAX_DEPTH) return []
  if (schema.items) return fieldsOf(schema.items, `${prefix}[]`, depth + 1)
  const alternatives = (schema.anyOf ?? schema.oneOf)?.filter(({ properties }) => properties)
  if (alternatives) return withoutDoubles(alternatives.flatMap((one) => fieldsOf(one, prefix, depth)))
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = prefix ? `${prefix}.${key}` : key
    const required = schema.required?.includes(key) ?? false
    return [fieldOf(name, field, required), ...fieldsOf(field, name, depth + 1)]
  })
}

/** One field by itself. */
export const fieldOf = (name: string, schema: JsonSchema, required: boolean): ApiField => ({
  name,
  type: typeOf(schema),
  required,
  limits: limitsOf(schema),
})

/** The first of several rows of one name: alternatives share most of their fields. */
function withoutDoubles(fields: ApiField[]): ApiField[] {
  const first = new Map<string, ApiField>()
  for (const field of fields) if (!first.has(field.name)) first.set(field.name, field)
  return [...first.values()]
}

function typeOf(schema: JsonSchema): string {
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return alternativesOf([...new Set(alternatives.map(typeOf))])
  if (schema.enum) return schema.enum.map(String).join(' | ')
  if (schema.const !== undefined) return String(schema.const)
  if (schema.items) return `array of ${typeOf(schema.items)}`
  return [schema.type ?? 'any'].flat().join(' | ')
}

/** A list that may also be given as its only member is said once. */
function alternativesOf(types: string[]): string {
  const listed = types.filter((type) => types.includes(`array of ${type}`))
  const rest = types.filter((type) => !listed.some((one) => type === `array of ${one}`))
  return rest.map((type) => (listed.includes(type) ? `one or several of ${type}` : type)).join(' | ')
}

function limitsOf(schema: JsonSchema): string {
  const { format, default: usual, minimum, maximum, minLength, maxLength, maxItems, pattern } = schema
  const limits = [
    format,
    pattern && pattern.length <= 60 ? pattern : undefined,
    range(minimum, maximum),
    range(minLength, maxLength, ' characters'),
    maxItems === undefined ? undefined : `≤ ${maxItems} items`,
    usual === undefined ? undefined : `default ${JSON.stringify(usual)}`,
  ]
  return limits.filter(Boolean).join(', ')
}

function range(from: number | undefined, to: number | undefined, unit = ''): string | undefined {
  if (from === undefined && to === undefined) return undefined
  if (to === undefined || to >= Number.MAX_SAFE_INTEGER)
    return from === undefined ? undefined : `≥ ${from}${unit}`
  return from === undefined ? `≤ ${to}${unit}` : `${from}–${to}${unit}`
}
