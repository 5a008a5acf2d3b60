/** Random numbers of a seed: the same seed gives the same round, on every machine. */
export type Dice = {
  /** From 0 up to, not including, 1. */
  next(): number
  chance(probability: number): boolean
  between(from: number, to: number): number
  pick<T>(list: readonly T[]): T
}

/** A Weyl sequence through a 32-bit mixer. */
export function diceOf(seed: number): Dice {
  let state = seed | 0
  const next = () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000
  }
  return {
    next,
    chance: (probability) => next() < probability,
    between: (from, to) => from + next() * (to - from),
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
  }
}
