import { ObjectConflict, type ObjectStore } from '#server/ports/object-store.ts'
import { jsonObject, ProjectionConflict } from './projection-fault.ts'

/** Whether what stands under a key may stay there. */
export type Standing = (object: Record<string, unknown> | null, text: string) => boolean

/** One of these texts, to the byte. */
export const exactly =
  (...texts: readonly string[]): Standing =>
  (_, text) =>
    texts.includes(text)

/** An earlier, equally true projection of the same thing, perhaps by another version of the product, which named its id `name`. */
export const about =
  (name: string, id: string): Standing =>
  (object) =>
    object?.id === id || object?.[name] === id

/** Create-only. What stands under the key already may stay when it is what `holds` asks; anything else is a conflict. */
export async function putOnce(store: ObjectStore, key: string, text: string, holds: Standing): Promise<void> {
  try {
    await store.create(key, new TextEncoder().encode(text), 'application/json')
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    const there = await store.get(key)
    const standing = new TextDecoder().decode(there?.bytes)
    if (!there || !holds(jsonObject(there.bytes), standing)) {
      throw new ProjectionConflict(key, 'holds something else')
    }
  }
}
