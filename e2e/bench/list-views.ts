import type { Figures } from './figures.ts'
import { percentile } from './statistics.ts'

const ROUNDS = 40

/** How long one view of a list takes, as often as it takes to know its p95. */
export async function addView(figures: Figures, name: string, read: () => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let n = 0; n < ROUNDS; n++) {
    const began = performance.now()
    await read()
    times.push(performance.now() - began)
  }
  figures.add(`${name}, p95`, percentile(times, 0.95), { unit: 'ms', aim: { most: 50 } })
}
