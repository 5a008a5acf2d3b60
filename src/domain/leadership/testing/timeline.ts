/** Events in the order of their time; those of one instant in the order they were planned. */
export class Timeline {
  now = 0
  #planned = 0
  readonly #heap: { at: number; order: number; happen: () => void }[] = []

  after(seconds: number, happen: () => void): void {
    const heap = this.#heap
    heap.push({ at: this.now + seconds, order: this.#planned++, happen })
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1
      if (!this.#isBefore(child, parent)) return
      this.#swap(child, parent)
      child = parent
    }
  }

  /** Lets everything happen that is planned before this time. */
  runUntil(end: number): void {
    for (let first = this.#heap[0]; first && first.at < end; first = this.#heap[0]) {
      this.#removeFirst()
      this.now = first.at
      first.happen()
    }
  }

  #removeFirst(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (!last || heap.length === 0) return
    heap[0] = last
    for (let parent = 0; ; ) {
      const left = parent * 2 + 1
      if (left >= heap.length) return
      const child = left + 1 < heap.length && this.#isBefore(left + 1, left) ? left + 1 : left
      if (!this.#isBefore(child, parent)) return
      this.#swap(child, parent)
      parent = child
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    if (!x || !y) return false
    return x.at < y.at || (x.at === y.at && x.order < y.order)
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#heap[a], this.#heap[b]]
    if (!x || !y) return
    this.#heap[a] = y
    this.#heap[b] = x
  }
}
