import { describe, expect, it } from 'vitest'
import { microBatcher } from './micro-batcher.ts'

/** A batch runner whose batches the test ends. */
function manualBatches() {
  const batches: { items: number[]; end: (outcomes: number[]) => void; fail: (error: Error) => void }[] = []
  const run = (items: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      batches.push({ items, end: resolve, fail: reject })
    })
  return { batches, run }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the micro-batcher', () => {
  it('shares one batch among what comes while another is on its way, in order', async () => {
    const { batches, run } = manualBatches()
    const add = microBatcher(run)
    const first = add(1)
    await turn()
    const rest = [add(2), add(3), add(4)]
    expect(batches.map((b) => b.items)).toEqual([[1]])
    batches[0]?.end([10])
    expect(await first).toBe(10)
    await turn()
    expect(batches[1]?.items).toEqual([2, 3, 4])
    batches[1]?.end([20, 30, 40])
    expect(await Promise.all(rest)).toEqual([20, 30, 40])
  })

  it('keeps a batch below its limit', async () => {
    const sizes: number[] = []
    const add = microBatcher(async (items: number[]) => {
      sizes.push(items.length)
      return items
    }, 3)
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => add(n)))
    expect(sizes).toEqual([3, 3, 1])
  })

  it('fails everybody in a failed batch and goes on with the next', async () => {
    const { batches, run } = manualBatches()
    const add = microBatcher(run)
    const lost = [add(1), add(2)]
    await turn()
    const later = add(3)
    batches[0]?.fail(new Error('no connection'))
    expect((await Promise.allSettled(lost)).map((o) => o.status)).toEqual(['rejected', 'rejected'])
    await turn()
    batches[1]?.end([30])
    expect(await later).toBe(30)
  })
})
