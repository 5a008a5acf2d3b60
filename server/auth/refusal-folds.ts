/**
 * Refusals of one kind fold into one event a minute with their count [auth#refusals]: the first is written at once, what follows within the
 * minute together when the minute is over.
 *
 * What tells kinds apart is chosen by whoever sends them, so their number is bounded: beyond a few kinds from one address the rest of that
 * address folds together, and beyond the total the rest of all addresses does. However many requests come, from however many addresses, a
 * minute writes at most twice the total.
 */

export const FOLD_MS = 60_000
/** Kinds folded apart at a time, of one address and in all. */
export const MAX_FOLDS_OF_ADDRESS = 8
export const MAX_FOLDS = 128

/** What the folded refusals have in common: all of it, the address alone, or no more than the code. */
export type Scope = 'kind' | 'address' | 'all'
export type Folding = { name: string; code: string; address: string; kind: string }
type Fold<T> = { first: T; scope: Scope; address: string; count: number; timer: NodeJS.Timeout }
type Write<T> = (first: T, scope: Scope, count: number) => Promise<void>

export class RefusalFolds<T extends Folding> {
  readonly #folds = new Map<string, Fold<T>>()
  readonly #ofAddress = new Map<string, number>()

  /** Writes the refusal, or counts it in the fold that it belongs to. */
  async add(refusal: T, write: Write<T>): Promise<void> {
    const known = this.#find(refusal)
    if (known) {
      known.count += 1
      return
    }
    const scope = this.#scopeFor(refusal)
    const key = keyOf(refusal, scope)
    const timer = setTimeout(() => void this.#close(key, write), FOLD_MS).unref()
    const address = scope === 'all' ? '' : refusal.address
    this.#folds.set(key, { first: refusal, scope, address, count: 0, timer })
    this.#ofAddress.set(address, (this.#ofAddress.get(address) ?? 0) + 1)
    await write(refusal, scope, 1)
  }

  /** Writes what is folded now; for the end of the process and for tests. */
  async flush(write: Write<T>): Promise<void> {
    await Promise.all([...this.#folds.keys()].map((key) => this.#close(key, write)))
  }

  #find(refusal: T): Fold<T> | undefined {
    const scopes = ['kind', 'address', 'all'] as const
    return scopes.map((scope) => this.#folds.get(keyOf(refusal, scope))).find((fold) => fold !== undefined)
  }

  #scopeFor({ address }: T): Scope {
    if (this.#folds.size >= MAX_FOLDS) return 'all'
    return (this.#ofAddress.get(address) ?? 0) >= MAX_FOLDS_OF_ADDRESS ? 'address' : 'kind'
  }

  async #close(key: string, write: Write<T>): Promise<void> {
    const fold = this.#folds.get(key)
    if (!fold) return
    clearTimeout(fold.timer)
    this.#folds.delete(key)
    const left = (this.#ofAddress.get(fold.address) ?? 1) - 1
    if (left === 0) this.#ofAddress.delete(fold.address)
    else this.#ofAddress.set(fold.address, left)
    if (fold.count > 0) await write(fold.first, fold.scope, fold.count)
  }
}

const keyOf = ({ name, code, address, kind }: Folding, scope: Scope): string =>
  [name, code, ...(scope === 'all' ? [] : [address]), ...(scope === 'kind' ? [kind] : [])].join('\n')
