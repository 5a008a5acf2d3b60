import { mapConcurrently } from '#server/concurrency/map-concurrently.ts'
import { ObjectConflict, type ObjectStore } from '#server/ports/object-store.ts'
import { jsonObject, ProjectionConflict } from './projection-fault.ts'

/** Whether what stands under a key may stay there. */
export type Standing = (object: Record<string, unknown> | null, text: string) => boolean

/** An object that is written once, and what may stand in its place. */
export type OnceObject = { key: string; text: string; holds: Standing }

type Store = Pick<ObjectStore, 'get'>

/** Reads of what stands under the keys of others. */
const READS_AT_ONCE = 16
const TYPE = 'application/json'

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

/** Create-only. What stands under the key already may stay when it is what `holds` asks; anything else is thrown as a conflict. */
export async function putOnce(store: ObjectStore, { key, text, holds }: OnceObject): Promise<void> {
  try {
    await store.create(key, new TextEncoder().encode(text), TYPE)
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    const conflict = await conflictOf(store, { key, text, holds })
    if (conflict) throw conflict
  }
}

/** The same for many, which are flushed together. Gives, in order, the conflict of each, or null. */
export async function putManyOnce(
  store: ObjectStore,
  objects: readonly OnceObject[],
): Promise<(ProjectionConflict | null)[]> {
  const encoder = new TextEncoder()
  const made = await store.createMany(
    objects.map(({ key, text }) => ({ key, bytes: encoder.encode(text), contentType: TYPE })),
  )
  return mapConcurrently(objects, READS_AT_ONCE, async (object, n) =>
    made[n] && 'conflict' in made[n] ? conflictOf(store, object) : null,
  )
}

/** The conflict with what stands under the key; null when that may stay. */
async function conflictOf(store: Store, { key, holds }: OnceObject): Promise<ProjectionConflict | null> {
  const there = await store.get(key)
  if (there && holds(jsonObject(there.bytes), new TextDecoder().decode(there.bytes))) return null
  return new ProjectionConflict(key, 'holds something else')
}
