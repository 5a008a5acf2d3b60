import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOTE_BUDGET } from '#domain/garden/note-budget.rules.ts'
import { unifiedDiff } from './apply-diff.ts'
import { budgetRefusal } from './budget-refusal.ts'
import { fileFault } from './file-fault.ts'
import { gardenLinks } from './note-links.ts'
import { parsedNote, parseFault, renderedText } from './read-note.ts'
import { taggedText } from './tagged-text.ts'
import { HOSTILE_NOTES } from './testing/hostile-notes.ts'

const NOWHERE = { resolve: () => null }
const SIZES = [1_000, 10_000, 100_000, 1_000_000]
const PLAIN = `${'>'.repeat(1_000)}\n`

/** Counts how often the event loop comes round while something else is going on. */
let turns = 0
let beat: NodeJS.Timeout
beforeAll(() => {
  beat = setInterval(() => turns++, 5)
})
afterAll(() => clearInterval(beat))

test('there are enough shapes', () => {
  expect(new Set(HOSTILE_NOTES.map((note) => note.name)).size).toBe(HOSTILE_NOTES.length)
  expect(HOSTILE_NOTES.length).toBeGreaterThanOrEqual(65)
})

describe.each(HOSTILE_NOTES)('$name', ({ text }) => {
  test('is parsed or plain at every size, for all who read a note', async () => {
    for (const size of SIZES) {
      const source = { path: 'Beds/Hostile.md', text: text(size) }
      const [note, fault, { tree }] = await Promise.all([
        parsedNote(source),
        parseFault(source.text),
        renderedText(source.text, NOWHERE),
      ])
      expect(note.title).not.toBe('')
      expect(tree.type).toBe('root')
      if (fault && note.plain) expect(tree.data).toEqual({ plain: fault })
      if (note.plain) expect([note.links, note.headings]).toEqual([[], []])
      expect(() => fileFault(source.path, source.text)).not.toThrow()
      expect(() => taggedText(source.path, source.text, { add: ['a'], remove: [] })).not.toThrow()
    }
  })
})

describe('a text beyond its budget', () => {
  test('is shown as it is written, with the budget it passes', async () => {
    const plain = { budget: 'depth', limit: NOTE_BUDGET.depth }
    const { tree, headings } = await renderedText(PLAIN, NOWHERE)
    expect(tree).toEqual({ type: 'root', data: { plain }, children: [{ type: 'text', value: PLAIN }] })
    expect(headings).toEqual([])
    const note = await parsedNote({ path: 'Beds/Deep.md', text: `# Deep\n\n${PLAIN}` })
    expect(note).toMatchObject({ title: 'Deep', plain, tags: [], links: [] })
  })

  test('is refused with the budget named, unless the file passes one already', async () => {
    expect(await budgetRefusal('a.md', PLAIN, null)).toEqual({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('more than 32 levels'),
      details: { path: 'a.md', budget: 'depth', limit: 32 },
    })
    expect(await budgetRefusal('a.md', PLAIN, '# Fine\n')).toMatchObject({ code: 'LIMIT_EXCEEDED' })
    expect(await budgetRefusal('a.md', `${PLAIN}a\n`, PLAIN)).toBeNull()
    expect(await budgetRefusal('a.md', '# Fine\n', null)).toBeNull()
    expect(await budgetRefusal('a.json', PLAIN, null)).toBeNull()
  })

  test('keeps its place in the garden, and the others their links', async () => {
    const garden = await gardenLinks([
      { path: 'a.md', text: '[[b]] [[c]]\n' },
      { path: 'b.md', text: PLAIN },
      { path: 'c.md', text: '# C\n' },
    ])
    expect(garden.backlinks('b.md')).toEqual(['a.md'])
    expect(garden.links('a.md').map((link) => link.path)).toEqual(['b.md', 'c.md'])
  })
})

describe('a parse that takes too long', () => {
  // Passes no measure, and takes the square of its lines.
  const slow = (seed: string) => `${seed}\n\n${'> a\nb\n'.repeat(6_600)}`

  test('is ended, is not tried again, and holds up nobody', async () => {
    const text = slow('first')
    turns = 0
    expect(await parseFault(text)).toEqual({ budget: 'time', limit: NOTE_BUDGET.time })
    expect(turns).toBeGreaterThan(3)
    expect(await parseFault('# Fine\n')).toBeNull()
    // What is remembered is there before the event loop comes round; a thread would have to be asked.
    const again = parsedNote({ path: 'a.md', text }).then((note) => note.plain?.budget)
    const asked = new Promise((resolve) => setImmediate(resolve, 'asked again'))
    expect(await Promise.race([again, asked])).toBe('time')
  })

  test('does not take the texts beside it along', async () => {
    const read = await Promise.all([
      ...['a', 'b', 'c'].map((seed) => parseFault(slow(seed))),
      ...Array.from({ length: 20 }, (_, n) => parseFault(`# Fine ${n}\n`)),
    ])
    expect(read.slice(0, 3).map((fault) => fault?.budget)).toEqual(['time', 'time', 'time'])
    expect(read.slice(3)).toEqual(Array(20).fill(null))
  })
})

test('links are put in for each reader, from one tree', async () => {
  const text = 'See [[South]], [s](South.md#Soil "x"), [[South|there]] and [w](https://e.org).\n'
  const seen = await renderedText(text, {
    resolve: (_, target) => (/South/.test(target) ? 'Beds/South bed.md' : null),
  })
  const hidden = await renderedText(text, NOWHERE)
  expect(JSON.stringify(seen).match(/"\/notes\/Beds\/South%20bed.md(?:#user-content-soil)?"/g)).toHaveLength(
    3,
  )
  expect(JSON.stringify(hidden)).not.toContain('/notes/')
  expect(JSON.stringify(hidden).match(/broken-link/g)).toHaveLength(3)
  expect(JSON.stringify(hidden)).toContain('https://e.org')
})

test('a change of very many lines is one hunk, not a long search', () => {
  const lines = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word} ${n}\n`).join('')
  expect(unifiedDiff('a.md', lines('old'), lines('new')).match(/^@@/gm)).toHaveLength(1)
})

describe('the tree of a text that would act', () => {
  const render = async (markdown: string) => JSON.stringify((await renderedText(markdown, NOWHERE)).tree)
  test.each([
    ['raw HTML', '<script>alert(1)</script><img src=x onerror=alert(1)>', /script|onerror/],
    [
      'a scripting address',
      '[x](javascript:alert(1)) [y](data:text/html,x) [z](vbscript:x)',
      /javascript:|data:|vbscript:/,
    ],
    ['a remote image', '![pixel](https://evil.example/p.png)', /"img"/],
    ['an image by reference', '![pixel][p]\n\n[p]: https://evil.example/p.png', /"img"|evil/],
    ['a reference to a script', '[x][p]\n\n[p]: javascript:alert(1)', /javascript:/],
    ['an id that is taken', '# top\n\n## main', /"id":"main"/],
  ])('%s', async (_, markdown, forbidden) => {
    expect(await render(markdown)).not.toMatch(forbidden)
  })

  test('links outward are marked and send no referrer', async () => {
    expect(await render('[x](https://example.org)')).toContain('"rel":["noopener","noreferrer"]')
  })
})
