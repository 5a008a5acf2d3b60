import type { FencedObject, ObjectRead } from '../protocol-effects.ts'

/**
 * A store with conditional writes, in one place and one order. Its clock may be an hour off and answers in whole seconds, as `Date` and
 * `Last-Modified` do. The etag is the text itself, so that a text which came back would match again, as with a digest.
 */
export type Stored = { text: string; writtenAt: number }

/** `ANY` is a write without a condition: of a node of today, or of a mutant. */
export const ANY = Symbol('any')
export type Condition = string | null | typeof ANY

export class ModelStore {
  readonly #skew: number
  /** The hash of the copy for today's nodes. */
  mirrored: string | null = null
  readonly #objects = new Map<FencedObject, Stored>()

  constructor(skew: number) {
    this.#skew = skew
  }

  clock(now: number): number {
    return Math.floor(now + this.#skew)
  }

  get(object: FencedObject): Stored | undefined {
    return this.#objects.get(object)
  }

  read(object: FencedObject, now: number): ObjectRead {
    const stored = this.#objects.get(object)
    const storeNow = this.clock(now)
    if (!stored) return { found: 'absent', storeNow }
    const { text, writtenAt } = stored
    return { found: 'object', text, etag: text, modified: this.clock(writtenAt), storeNow }
  }

  /** Whether the condition holds now. */
  admits(object: FencedObject, condition: Condition): boolean {
    return condition === ANY || (this.#objects.get(object)?.text ?? null) === condition
  }

  /** Copies what the pointer names now; a stub names nothing. */
  mirror(): void {
    const pointer = JSON.parse(this.get('pointer')?.text ?? '{}')
    this.mirrored = pointer.sha256 ?? this.mirrored
  }

  put(object: FencedObject, text: string, now: number): void {
    this.#objects.set(object, { text, writtenAt: now })
  }
}
