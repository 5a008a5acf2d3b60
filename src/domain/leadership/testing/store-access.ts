import type { ObjectRead, WriteAnswer, WriteEffect } from '../protocol-effects.ts'
import type { Condition, ModelStore } from './model-store.ts'
import type { World } from './process.ts'
import type { Witness } from './referee.ts'
import { FAULTS } from './settings.ts'
import type { Traffic } from './traffic.ts'

/** How a process reaches the store: sometimes it is refused, sometimes the answer is lost. The referee sees everything. */
export class StoreAccess {
  readonly #world: World
  readonly #witness: Witness

  constructor(world: World, witness: Witness) {
    this.#world = world
    this.#witness = witness
  }

  read(object: Parameters<ModelStore['read']>[0]): ObjectRead {
    const { dice, store, timeline, referee, traffic } = this.#world
    if (dice.chance(FAULTS.unavailable)) {
      traffic.unavailable++
      return { found: 'unknown', reason: '503' }
    }
    const read = store.read(object, timeline.now)
    referee.sawRead(this.#witness, object, read)
    return read
  }

  write(write: WriteEffect, condition: Condition): WriteAnswer {
    const { dice, traffic } = this.#world
    const fate = dice.next()
    if (fate < FAULTS.unavailable) {
      traffic.unavailable++
      return { answer: 'unknown' }
    }
    if (fate < FAULTS.unavailable + FAULTS.ambiguous) return this.#answerAmbiguously(write, condition)
    return this.#apply(write, condition) ? { answer: 'applied', etag: write.text } : { answer: 'refused' }
  }

  /** The answer is lost and the write done, or not, or done later; or the client's own repeat is refused by its first attempt. */
  #answerAmbiguously(write: WriteEffect, condition: Condition): WriteAnswer {
    const { dice, traffic, timeline } = this.#world
    traffic.ambiguous++
    const way = dice.pick(['done', 'lost', 'late', 'repeated'] as const)
    if (way === 'done' || way === 'repeated') this.#apply(write, condition)
    if (way === 'late')
      timeline.after(dice.between(0.5, 30), () => {
        if (this.#apply(write, condition)) traffic.late_applied++
      })
    return { answer: way === 'repeated' ? 'refused' : 'unknown' }
  }

  #apply(write: WriteEffect, condition: Condition): boolean {
    const { store, referee, timeline, traffic } = this.#world
    if (!store.admits(write.object, condition)) return false
    referee.applies(this.#witness, write, timeline.now)
    store.put(write.object, write.text, timeline.now)
    if (write.event in traffic && write.object !== 'lock') traffic[write.event as keyof Traffic]++
    if (write.event === 'steal' || write.event === 'override') traffic[write.event]++
    return true
  }

  /** Fails before the copy, or after it. */
  mirror(): 'stored' | 'failed' {
    const { dice, store } = this.#world
    const fate = dice.next()
    if (fate >= 0.02) store.mirror()
    return fate < 0.03 ? 'failed' : 'stored'
  }

  mirroredSha(): string | null {
    const { dice, store } = this.#world
    return dice.chance(FAULTS.unavailable) ? null : store.mirrored
  }
}
