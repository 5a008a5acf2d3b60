import { setImmediate as comeRound } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { findQuote, foldLines } from './find-quote.ts'
import { sourcesNow } from './source-now.ts'

const TEXT = ['# Beds', '', 'Leeks and', '  garlic.', '', '', 'Beans.', 'Leeks and garlic.', ''].join('\n')

it.each([
  ['one line', 'Beans.', 1, { from: 7, to: 7 }],
  ['over lines, white space folded', 'Leeks\nand   garlic.', 3, { from: 3, to: 4 }],
  ['the nearest of several', 'Leeks and garlic.', 7, { from: 8, to: 8 }],
  ['over an empty line', 'garlic. Beans.', 99, { from: 4, to: 7 }],
  ['the same letter in another normal form', 'Beans.'.normalize('NFD'), 7, { from: 7, to: 7 }],
  ['nowhere', 'Kale.', 1, null],
  ['nothing', '  \n', 1, null],
])('finds a quote: %s', (_, quote, near, lines) => {
  expect(findQuote(foldLines(TEXT), quote, near)).toEqual(lines)
})

it('of one file is found in one reading of it, while others have their turn', async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `Bed ${n} has leeks and some garlic beside them.`)
  const files: Record<string, string> = { cited: lines.join('\n'), head: `New.\n${lines.join('\n')}` }
  const garden = {
    head: async () => 'head',
    isOnBranch: async () => true,
    read: async (_: string, revision = 'head') => ({ text: files[revision] }),
  }
  const sources = Array.from({ length: 200 }, (_, n) => {
    const [from, excerpt] = [n * 100 + 1, lines[n * 100] ?? '']
    return { ref: 'Beds.md', revision: 'cited', lines: { from, to: from }, excerpt }
  })
  let [turns, over] = [0, false]
  const others = (async () => {
    for (; !over; turns++) await comeRound()
  })()
  const split = vi.spyOn(String.prototype, 'split')
  const found = await sourcesNow(garden as never, sources).finally(() => {
    over = true
  })
  const long = split.mock.contexts.filter((text) => String(text).length > 100_000).length
  split.mockRestore()
  await others
  expect(found.sources.map(({ lines: now }) => now?.from)).toEqual(
    sources.map(({ lines: { from } }) => from + 1),
  )
  // Two documents and the folded text of the head.
  expect(long).toBe(3)
  expect(turns).toBeGreaterThan(1)
})
