import { expect, test } from 'vitest'
import { readPassages } from './read-passages.ts'
import { growIndex, search } from './search-index.ts'

const TEXT =
  '# Beds\n\nLeeks and GarlicBeds.\n\n## North\n\n- Leeks\n- leeks, Leeks\n\n|a|b|\n|-|-|\n|oak|oak|\n'
const file = (ref: string, revision: string, text = TEXT) => ({ ref, revision, text, sha256: `of ${TEXT}` })

test('a text is read once for all its files and revisions, and read again it says the same', () => {
  const anew = [...readPassages({ ref: 'a.md', revision: 'first', text: TEXT })]
  expect(anew.length).toBeGreaterThan(3)
  expect([...readPassages(file('a.md', 'first'))]).toEqual(anew)
  const moved = anew.map((read) => ({
    ...read,
    passage: { ...read.passage, ref: 'b.md', revision: 'second' },
  }))
  // The text is not looked at again: its digest says what it is.
  expect([...readPassages(file('b.md', 'second', 'Not read.\n'))]).toEqual(moved)
})

test('an index can be searched while it is built, and says what it holds', async () => {
  const long = { ref: 'a.md', revision: 'r', text: `- oak\n${'- a\n'.repeat(100_000)}` }
  const growing = growIndex([{ ref: 'b.md', revision: 'r', text: 'Leeks.\n' }, long])
  expect(growing.holds('b.md')).toBe(false)
  expect(search(growing.index, 'oak leeks', 5).map(({ ref }) => ref)).toEqual(['a.md'])
  const index = await growing.end
  expect(growing.holds('b.md')).toBe(true)
  expect(search(index, 'leeks', 5).map(({ ref }) => ref)).toEqual(['b.md'])
})
