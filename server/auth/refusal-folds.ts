/**
 * Refusals of one kind fold into one event a minute with their count [auth#refusals]: the first is written at once, what follows within the
 * minute together when the minute is over.
 *
 * What tells kinds apart is chosen by whoever sends them, so their number is bounded: beyond a few kinds from one source (an identity, or the
 * address of nobody) the rest of that source folds together, and beyond the total the rest of all sources does. However many requests come,
 * from however many addresses, a minute writes at most twice the total.
 */

export const FOLD_MS = 60_000
/** Kinds folded apart at a time, of one source and in all. */
export const MAX_FOLDS_OF_SOURCE = 16
export const MAX_FOLDS = 128

/** What the folded refusals have in common: all of it, the source alone, or no more than the code. */
export type Scope = 'kind' | 'source' | 'all'
export type Folding = { name: string; code: string; source: string; kind: string }
type Fold<T> = { first: T; scope: Scope; source: string; count: number; timer: NodeJS.Timeout }
type Write<T> = (first: T, scope: Scope, count: number) => Promise<void>

export class RefusalFolds<T extends Folding> {
  readonly #folds = new Map<string, Fold<T>>()
  readonly #ofSource = new Map<string, number>()

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
    const source = scope === 'all' ? '' : refusal.source
    this.#folds.set(key, { first: refusal, scope, source, count: 0, timer })
    this.#ofSource.set(source, (this.#ofSource.get(source) ?? 0) + 1)
    await write(refusal, scope, 1)
  }

  /** Writes what is folded now; for the end of the process and for tests. */
  async flush(write: Write<T>): Promise<void> {
    await Promise.all([...this.#folds.keys()].map((key) => this.#close(key, write)))
  }

  #find(refusal: T): Fold<T> | undefined {
    const scopes = ['kind', 'source', 'all'] as const
    return scopes.map((scope) => this.#folds.get(keyOf(refusal, scope))).find((fold) => fold !== undefined)
  }

  #scopeFor({ source }: T): Scope {
    if (this.#folds.size >= MAX_FOLDS) return 'all'
    return (this.#ofSource.get(source) ?? 0) >= MAX_FOLDS_OF_SOURCE ? 'source' : 'kind'
  }

  async #close(key: string, write: Write<T>): Promise<void> {
    const fold = this.#folds.get(key)
    if (!fold) return
    clearTimeout(fold.timer)
    this.#folds.delete(key)
    const left = (this.#ofSource.get(fold.source) ?? 1) - 1
    if (left === 0) this.#ofSource.delete(fold.source)
    else this.#ofSource.set(fold.source, left)
    if (fold.count > 0) await write(fold.first, fold.scope, fold.count)
  }
}

const keyOf = ({ name, code, source, kind }: Folding, scope: Scope): string =>
  [name, code, ...(scope === 'all' ? [] : [source]), ...(scope === 'kind' ? [kind] : [])].join('\n')
