import type { Answer, Effect, Protocol } from '../protocol-effects.ts'
import type { Snapshot } from '../push.rules.ts'
import type { Dice } from './dice.ts'
import type { ANY, ModelStore } from './model-store.ts'
import type { Referee, Witness } from './referee.ts'
import { FAULTS, LEASE_SECONDS } from './settings.ts'
import { StoreAccess } from './store-access.ts'
import type { Timeline } from './timeline.ts'
import type { Traffic } from './traffic.ts'

/** What a round consists of. */
export type World = {
  dice: Dice
  store: ModelStore
  timeline: Timeline
  referee: Referee
  traffic: Traffic
  sabotage: Sabotage | null
  nonces: number
}

/**
 * A fault of the program, put between a protocol and the world, so that the product needs no switch for it. `scratch` is the process's own
 * and is emptied when a protocol begins.
 */
export type Sabotage = {
  effect?(
    effect: Effect,
    process: SimulatedProcess,
  ): { send: Effect; condition?: typeof ANY } | { skip: Answer }
  answer?(effect: Effect, answer: Answer, process: SimulatedProcess): Answer
}

/** A process that performs protocols in virtual time: it sleeps, is killed, and loses answers. */
export class SimulatedProcess {
  readonly world: World
  readonly witness: Witness
  readonly hostname: string
  readonly scratch = new Map<string, Answer>()
  /** Seconds by which the clock on the wall is off; it jumps. */
  wallOffset: number
  readonly #bootedAt: number
  readonly #store: StoreAccess
  #life = 0
  #uploadLeft = 0
  #lastSnapshot: Snapshot | null = null

  constructor(world: World, nodeId: string, hostname: string) {
    this.world = world
    this.hostname = hostname
    this.witness = {
      nodeId,
      leads: true,
      isFenced: true,
      force: false,
      absent: new Set(),
      marks: new Set(),
      token: null,
      holderChangesAtStart: 0,
      afterUpload: null,
    }
    this.wallOffset = world.dice.between(-3600, 3600)
    this.#bootedAt = world.dice.between(0, 1e6)
    this.#store = new StoreAccess(world, this.witness)
  }

  /** Its own clock on the wall; nothing of ours may depend on it. */
  wallClock(): number {
    return this.world.timeline.now + this.wallOffset
  }

  /** Performs a protocol; a process that is killed meanwhile never comes to `ended`. */
  run<T>(protocol: Protocol<T>, ended: (value: T) => void): void {
    const { witness, world } = this
    this.scratch.clear()
    witness.marks = new Set()
    witness.token = null
    witness.afterUpload = null
    witness.holderChangesAtStart = world.referee.holderChanges
    this.#uploadLeft = world.dice.between(0, 14)
    this.#step(protocol, undefined as Answer, ended)
  }

  /** From here on nothing that was under way comes to an end. */
  kill(): void {
    this.#life++
  }

  /** Something of this process, later, if it lives. */
  after(seconds: number, happen: () => void): void {
    const life = this.#life
    this.world.timeline.after(seconds, () => {
      if (life === this.#life) happen()
    })
  }

  #step<T>(protocol: Protocol<T>, answer: Answer, ended: (value: T) => void): void {
    const next = protocol.next(answer)
    if (next.done) {
      ended(next.value)
      return
    }
    const effect = next.value
    const { sabotage } = this.world
    const changed = sabotage?.effect?.(effect, this) ?? { send: effect }
    const resume = (given: Answer) => {
      const known = sabotage?.answer ? sabotage.answer(effect, given, this) : given
      this.#step(protocol, known, ended)
    }
    if ('skip' in changed) this.after(0.1, () => resume(changed.skip))
    else this.#perform(changed.send, changed.condition, resume)
  }

  #perform(effect: Effect, condition: typeof ANY | undefined, resume: (answer: Answer) => void): void {
    const { dice, timeline, referee } = this.world
    switch (effect.effect) {
      case 'read':
        this.#travel(() => this.#store.read(effect.object), resume)
        break
      case 'write':
        referee.sent(this.witness, effect, timeline.now)
        this.#travel(() => this.#store.write(effect, condition ?? effect.ifMatch), resume)
        break
      case 'monotonic':
        resume(timeline.now + this.#bootedAt)
        break
      case 'nonce':
        resume(`n${this.world.nonces++}`)
        break
      case 'wait':
        this.after(effect.seconds + this.#pause(), () => resume(undefined))
        break
      case 'snapshot':
        this.after(dice.between(0.5, 6) + this.#pause(), () => resume(this.#snapshot()))
        break
      case 'upload':
        this.#upload(effect.seconds, resume)
        break
      case 'mirror':
        this.after(0.3 + this.#pause(), () => resume(this.#store.mirror()))
        break
      case 'mirror_sha':
        this.#travel(() => this.#store.mirroredSha(), resume)
        break
      case 'audit':
        this.after(0.1 + this.#pause(), () => resume(undefined))
        break
    }
  }

  /** There and back, with sleep at either end. */
  #travel<T extends Answer>(atStore: () => T, resume: (answer: Answer) => void): void {
    const { dice } = this.world
    this.after(dice.between(0.01, 0.3) + this.#pause(), () => {
      const answer = atStore()
      this.after(dice.between(0.01, 0.3) + this.#pause(), () => resume(answer))
    })
  }

  #pause(): number {
    const { dice, traffic } = this.world
    if (!dice.chance(FAULTS.pause)) return 0
    traffic.pauses++
    return dice.chance(0.5) ? dice.between(1, 10) : dice.between(10, LEASE_SECONDS * 2)
  }

  /** Of a database that grows with time, each node's a little differently; sometimes nothing has changed since the last. */
  #snapshot(): Snapshot | null {
    const { dice, timeline } = this.world
    if (dice.chance(0.02)) return null
    if (this.#lastSnapshot && dice.chance(0.1)) return this.#lastSnapshot
    const sha256 = `s${this.world.nonces++}`
    const observations = Math.floor(timeline.now + dice.between(0, 8))
    this.#lastSnapshot = { sha256, contentSha256: sha256, observations, dbKey: `db/${sha256}.db`, fields: {} }
    return this.#lastSnapshot
  }

  #upload(seconds: number, resume: (answer: Answer) => void): void {
    const { dice, referee } = this.world
    const takes = Math.min(seconds, this.#uploadLeft)
    this.#uploadLeft -= takes
    this.after(takes + this.#pause(), () => {
      if (this.#uploadLeft <= 0) referee.sawUploadEnd(this.witness)
      resume(this.#uploadLeft > 0 ? 'going' : dice.chance(0.02) ? 'failed' : 'stored')
    })
  }
}
