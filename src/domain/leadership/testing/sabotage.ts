import { isObject, textOf } from '../json-fields.ts'
import type { Answer, Effect, FencedObject, ObjectRead } from '../protocol-effects.ts'
import { ANY } from './model-store.ts'
import type { Sabotage, SimulatedProcess } from './process.ts'

/** Ways of putting a mistake between the protocols and the world. */
export const send = (effect: Effect) => ({ send: effect })
export const isWrite = (effect: Effect, object: FencedObject, event?: string) =>
  effect.effect === 'write' && effect.object === object && (event === undefined || effect.event === event)

/** Writes of this object and event go out without their condition. */
export const withoutCondition = (object: FencedObject, event?: string) => (): Sabotage => ({
  effect: (effect) => (isWrite(effect, object, event) ? { send: effect, condition: ANY } : send(effect)),
})

/** Such writes of the lease carry other fields. */
export const miswritten =
  (event: string, change: (lease: { epoch: number; term: number }) => object) => (): Sabotage => ({
    effect: (effect) => {
      if (effect.effect !== 'write' || !isWrite(effect, 'lease', event)) return send(effect)
      const lease = JSON.parse(effect.text)
      return send({ ...effect, text: textOf({ ...lease, ...change(lease) }) })
    },
  })

/** Such a write is never made, and said to be. */
export const neverWritten = (object: FencedObject, event: string) => (): Sabotage => ({
  effect: (effect) =>
    isWrite(effect, object, event) ? { skip: { answer: 'applied', etag: 'never' } } : send(effect),
})

type Found = Extract<ObjectRead, { found: 'object' }>
export const foundIn = (effect: Effect, answer: Answer, object: FencedObject): Found | null => {
  if (effect.effect !== 'read' || effect.object !== object || !isObject(answer)) return null
  const read = answer as ObjectRead
  return read.found === 'object' ? read : null
}

/** What is read of an object has other fields than the object. */
export const misread =
  (object: FencedObject, change: (fields: Record<string, unknown>, process: SimulatedProcess) => object) =>
  (): Sabotage => ({
    answer: (effect, answer, process) => {
      const read = foundIn(effect, answer, object)
      if (read === null) return answer
      try {
        return {
          ...read,
          text: textOf({ ...JSON.parse(read.text), ...change(JSON.parse(read.text), process) }),
        }
      } catch {
        return answer
      }
    },
  })

/** The first answer of a run is believed until its end. */
export const believedForEver = (concerns: (effect: Effect) => boolean) => (): Sabotage => ({
  answer: (effect, answer, process) => {
    if (!concerns(effect)) return answer
    const first = process.scratch.get(effect.effect)
    if (first !== undefined) return first
    process.scratch.set(effect.effect, answer)
    return answer
  },
})

export const readsLease = (effect: Effect) => effect.effect === 'read' && effect.object === 'lease'
