/** Keeps what was used last, up to a total weight. For values that never change under their key, such as git objects. */
export class BoundedCache<V> {
  readonly #values = new Map<string, { value: V; weight: number }>()
  readonly #limit: number
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string): V | undefined {
    const found = this.#values.get(key)
    if (!found) return undefined
    this.#values.delete(key)
    this.#values.set(key, found)
    return found.value
  }

  set(key: string, value: V, weight = 1): V {
    this.delete(key)
    this.#values.set(key, { value, weight })
    this.#total += weight
    for (const oldest of this.#values.keys()) {
      if (this.#total <= this.#limit || oldest === key) break
      this.delete(oldest)
    }
    return value
  }

  delete(key: string): void {
    this.#total -= this.#values.get(key)?.weight ?? 0
    this.#values.delete(key)
  }
}
