import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { mapConcurrently } from './map-concurrently.ts'

const turns = async (n: number) => {
  for (let i = 0; i < n; i++) await turn()
}

test('keeps the order of the items and its limit', async () => {
  let [busy, most] = [0, 0]
  const results = await mapConcurrently([5, 1, 4, 2, 3, 0], 3, async (n, index) => {
    most = Math.max(most, ++busy)
    await turns(n)
    busy--
    return `${index}:${n}`
  })
  expect(results).toEqual(['0:5', '1:1', '2:4', '3:2', '4:3', '5:0'])
  expect(most).toBe(3)
  expect(await mapConcurrently([], 3, () => Promise.reject(new Error('never')))).toEqual([])
})

test('a failure begins nothing more, and is thrown when what was under way has ended', async () => {
  const [begun, ended]: [number[], number[]] = [[], []]
  const work = mapConcurrently([0, 1, 2, 3, 4, 5], 2, async (n) => {
    begun.push(n)
    await turns(n === 1 ? 1 : 4)
    if (n === 1) throw new Error('the second')
    ended.push(n)
  })
  await expect(work).rejects.toThrow('the second')
  expect([begun, ended]).toEqual([[0, 1], [0]])
})
