import type { ObjectStore } from '#server/ports/object-store.ts'

/** An object that could not be used, and why. It stops nothing but itself. */
export type Fault = { key: string; why: string }

export type Reader = {
  store: Pick<ObjectStore, 'list' | 'get'>
  fault(key: string, why: string): void
}

export type Read<T> = { key: string; value: T }

/** Objects that are read at the same time. */
const AT_ONCE = 32

/** The objects below the prefix in the order of their keys, as `parse` reads them; what it throws is a fault of that object. */
export async function* objectsBelow<T>(
  { store, fault }: Reader,
  prefix: string,
  parse: (text: string, key: string) => T,
  wanted: (key: string) => boolean = () => true,
): AsyncGenerator<Read<T>> {
  let after: string | null = ''
  while (after !== null) {
    const page: { keys: string[]; next: string | null } = await store.list(prefix, after ? { after } : {})
    const keys = page.keys.filter(wanted)
    for (let n = 0; n < keys.length; n += AT_ONCE) {
      const read = keys
        .slice(n, n + AT_ONCE)
        .map(async (key) => ({ key, bytes: (await store.get(key))?.bytes }))
      for (const { key, bytes } of await Promise.all(read)) {
        try {
          if (bytes) yield { key, value: parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), key) }
        } catch (error) {
          fault(key, (error as Error).message)
        }
      }
    }
    after = page.next
  }
}

/** A document: a JSON object, and nothing else. */
export type Document = Readonly<Record<string, unknown>>

export function parseDocument(text: string): Document {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Document
  throw new SyntaxError('is no JSON object')
}

/** Neighbours that `of` gives the same name, together, in their order. */
export async function* grouped<T>(
  objects: AsyncIterable<Read<T>>,
  of: (key: string) => string,
): AsyncGenerator<{ name: string; objects: Read<T>[] }> {
  let group: { name: string; objects: Read<T>[] } | null = null
  for await (const object of objects) {
    const name = of(object.key)
    if (group && group.name !== name) {
      yield group
      group = null
    }
    group ??= { name, objects: [] }
    group.objects.push(object)
  }
  if (group) yield group
}
