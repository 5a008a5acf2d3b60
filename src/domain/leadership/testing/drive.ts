import type { Answer, Effect, FencedObject, Protocol } from '../protocol-effects.ts'
import { ModelStore } from './model-store.ts'

/**
 * One protocol after another against one store, in order and without faults but those that are scripted: for tests of a single path, where
 * the simulation takes any.
 */
export type Script = {
  /** An answer in the place of the store's; the effect is not performed. */
  instead?(effect: Effect, step: number): Answer | undefined
  /** Performed right before the effect: what others do meanwhile. */
  before?(effect: Effect, step: number): void
  /** Killed before this step. */
  killAt?: number
}

export class Stage {
  readonly store = new ModelStore(0)
  readonly trace: string[] = []
  now = 1_000
  #nonces = 0
  #snapshots = 0

  /** What the protocol returned, or `null` when it was killed. */
  drive<T>(protocol: Protocol<T>, script: Script = {}): T | null {
    let next = protocol.next()
    for (let step = 0; !next.done; step++) {
      if (step === script.killAt) return null
      const effect = next.value
      script.before?.(effect, step)
      this.trace.push(nameOf(effect))
      const scripted = script.instead?.(effect, step)
      next = protocol.next(scripted === undefined ? this.#perform(effect) : scripted)
    }
    return next.value
  }

  /** The object as it is stored. */
  stored(object: FencedObject) {
    return JSON.parse(this.store.get(object)?.text ?? 'null')
  }

  put(object: FencedObject, fields: object): void {
    this.store.put(object, JSON.stringify(fields, null, 2), this.now)
  }

  #perform(effect: Effect): Answer {
    this.now += 0.1
    switch (effect.effect) {
      case 'read':
        return this.store.read(effect.object, this.now)
      case 'write':
        if (!this.store.admits(effect.object, effect.ifMatch)) return { answer: 'refused' }
        this.store.put(effect.object, effect.text, this.now)
        return { answer: 'applied', etag: effect.text }
      case 'monotonic':
        return this.now
      case 'nonce':
        return `nonce-${this.#nonces++}`
      case 'snapshot': {
        const sha256 = `snapshot-${this.#snapshots++}`
        return { sha256, contentSha256: sha256, observations: 10, dbKey: `db/${sha256}.db`, fields: {} }
      }
      case 'wait':
        this.now += effect.seconds
        return undefined
      case 'mirror':
        this.store.mirror()
        return 'stored'
      case 'mirror_sha':
        return this.store.mirrored
      case 'upload':
        return 'stored'
      case 'audit':
        return undefined
    }
  }
}

function nameOf(effect: Effect): string {
  if (effect.effect === 'read') return `read ${effect.object}`
  if (effect.effect === 'write') return `${effect.event} ${effect.object}`
  return effect.effect === 'audit' ? `audit ${effect.event}` : effect.effect
}
