/**
 * Total reading of small JSON objects: no text throws, and a field of a wrong type is a fault with its name, never a default.
 * What is not known by name stays in the object, so that a rewrite loses nothing that another version put there.
 */
export type JsonObject = { readonly [name: string]: unknown }

export type Parsed<T> = { ok: true; value: T } | { ok: false; fault: string }

/** The object that the text holds, with texts that can be stored; an array, a plain value and truncated text are none. */
export function parseObject(text: string): Parsed<JsonObject> {
  try {
    const value: unknown = JSON.parse(text, storable)
    if (isObject(value)) return { ok: true, value }
    return { ok: false, fault: 'not a JSON object' }
  } catch {
    return { ok: false, fault: 'not JSON' }
  }
}

/** No ledger takes a NUL or half a surrogate pair. Replaced and not left out, so that a name does not become another one's. */
const storable = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/[\0\p{Surrogate}]/gu, '\ufffd') : value

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a field must be. `null` counts as absent where the form admits it. */
export type Form = (value: unknown) => boolean

export const isCount: Form = (value) => Number.isSafeInteger(value) && (value as number) >= 0
export const isTime: Form = (value) => typeof value === 'number' && Number.isFinite(value)
export const isText: Form = (value) => typeof value === 'string'
export const isName: Form = (value) => typeof value === 'string' && value !== ''
export const isFlag: Form = (value) => typeof value === 'boolean'
export const isPositive: Form = (value) => isTime(value) && (value as number) > 0
export const orAbsent =
  (form: Form): Form =>
  (value) =>
    value === undefined || value === null || form(value)

/** The first field that is not of its form, as a text for a person; `null` when all are. */
export function faultOf(object: JsonObject, forms: Readonly<Record<string, Form>>): string | null {
  for (const [name, form] of Object.entries(forms)) {
    if (!form(fieldOf(object, name))) return `${name} is missing or of a wrong type`
  }
  return null
}

/** The object's own field: a name of every object's prototype is no field. */
export const fieldOf = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** The text of an object as every node writes it. */
export const textOf = (object: JsonObject): string => JSON.stringify(object, null, 2)
