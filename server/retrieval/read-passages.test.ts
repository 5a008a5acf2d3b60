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

test('one passage after the other is read, so that others have a turn within a text too', async () => {
  const text = `${'- oak and elm\n'.repeat(20_000)}`
  const passages = readPassages({ ref: 'a.md', revision: 'r', text })
  const cpu = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const [before, steps] = [cpu(), []] as [number, number[]]
  for (let at = before; !passages.next().done; at = cpu()) steps.push(cpu() - at)
  // The first step finds the blocks; the words of each passage are looked for in its own.
  expect(steps).toHaveLength(20_000)
  expect(Math.max(...steps)).toBeLessThan((cpu() - before) / 2)
})

test('a line that nobody wrote by hand is no passage', () => {
  const read = (line: string) => [
    ...readPassages({ ref: 'a.md', revision: 'r', text: `\`\`\`\n${line}\n\`\`\`\n` }),
  ]
  expect(read('oak '.repeat(4_000))).toHaveLength(1)
  expect(read('oak '.repeat(6_000))).toHaveLength(0)
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
