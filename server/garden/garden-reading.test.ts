import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { noteInScope } from '#domain/zone/zone-scope.rules.ts'
import { frontMatter, tagsWith } from './front-matter.ts'
import { readInTime, readWhole } from './garden-reading.ts'
import { gardenLinks, linksSoFar } from './note-links.ts'
import { parseNote } from './parse-note.ts'
import { parsedNote } from './read-note.ts'
import { HOSTILE_NOTES } from './testing/hostile-notes.ts'

const SCOPE = { folders: [], tags: ['shared'] }
const AT_ONCE = { parse: 0, state: 60_000 }
/** Passes no measure and takes the thread's whole time; other texts than anybody else's, so that nothing of them is known. */
const slow = (seed: string, front = '') => `${front}# Slow ${seed}\n\n${'> a\nb\n'.repeat(6_600)}`

describe('a garden whose notes are new', () => {
  const notes = [
    ...Array.from({ length: 3 }, (_, n) => ({ path: `slow ${n}.md`, text: slow(`in time ${n}`) })),
    { path: 'stated.md', text: '---\ntitle: Stated title\ntags: [Shared]\n---\n# A\n\n[[slow 1]] #more\n' },
    { path: 'said.md', text: '# Said *here*\n\nFor all, #shared. [[slow 1]]\n' },
    { path: 'neither.md', text: '---\ntags: [own]\n---\n# Own\n\n`#shared`\n' },
    { path: 'slow and stated.md', text: slow('stated', '---\ntags: shared\n---\n') },
  ]

  it('is answered for with what its notes state, and then with all of it', async () => {
    const soFar = await readInTime(notes, AT_ONCE)
    expect(soFar.whole).toBe(false)
    expect(soFar.note('stated.md')).toMatchObject({ title: 'Stated title', tags: ['Shared'], links: [] })
    expect(soFar.note('said.md')).toMatchObject({ title: 'Said *here*', tags: [] })
    expect(soFar.note('nowhere.md')).toBeUndefined()
    const first = notes.filter(({ path }) => noteInScope(SCOPE, path, soFar.note(path)?.tags ?? []))
    expect(first.map(({ path }) => path)).toEqual(['stated.md', 'slow and stated.md'])
    expect((await linksSoFar(notes, soFar)).backlinks('slow 1.md')).toEqual([])

    await readWhole(notes)
    const all = await readInTime(notes, AT_ONCE)
    expect(all.whole).toBe(true)
    expect(all.note('said.md')).toMatchObject({ title: 'Said here', tags: ['shared'] })
    expect(all.note('slow 1.md')?.plain?.budget).toBe('time')
    const last = notes.filter(({ path }) => noteInScope(SCOPE, path, all.note(path)?.tags ?? []))
    // The parser gave up on the last one, and it is shown as before.
    expect(last.map(({ path }) => path)).toEqual(['stated.md', 'said.md', 'slow and stated.md'])
    expect((await linksSoFar(notes, all)).backlinks('slow 1.md')).toEqual(['stated.md', 'said.md'])
    expect(await linksSoFar(notes, all)).toBe(await gardenLinks(notes))
  })

  it('gives way to a note that somebody waits for, also to one that stands in its row already', async () => {
    const row = Array.from({ length: 60 }, (_, n) => ({ path: `${n}.md`, text: `# Of the row ${n}\n` }))
    const last = row.at(-1) as (typeof row)[number]
    let done = 0
    await readInTime(row, AT_ONCE)
    const each = row.map((note) => parsedNote(note, true).then(() => ++done))
    await parsedNote(last)
    expect(done).toBeLessThan(10)
    await Promise.all(each)
  })
})

describe('what a note states', () => {
  const text = fc
    .array(
      fc.constantFrom(
        ...[
          '---',
          '--- ',
          '...',
          'tags: [a, "#b"]',
          'tags: a b',
          'tags:',
          '- c',
          '# H #d',
          'x #e',
          '`#f`',
          '',
        ],
        ...['title: T', '  - g', '[', 'tags: {a: b}', '&x *x', '---x', `---${' '.repeat(17_000)}`, '\t#i'],
      ),
      { maxLength: 8 },
    )
    .map((lines) => `${lines.join('\n')}\n`)

  test('is among what its text says, whatever that is', () => {
    fc.assert(
      fc.property(text, (note) => {
        const { tags } = parseNote('', note)
        for (const tag of tagsWith(frontMatter(note))) expect(tags).toContain(tag)
      }),
      { numRuns: 300, seed: 17 },
    )
  })

  test.each(HOSTILE_NOTES.filter(({ name }) => name.startsWith('front matter')))(
    '$name: is read at once',
    ({ text: hostile }) => {
      for (const size of [10_000, 1_000_000]) {
        const before = process.threadCpuUsage()
        frontMatter(hostile(size))
        const { user, system } = process.threadCpuUsage(before)
        expect((user + system) / 1000).toBeLessThan(250)
      }
    },
  )

  test('a fence that is cut off is none', () => {
    // The line is no fence, but its beginning is one.
    const note = `---\ntags: [shared]\n---${' '.repeat(20_000)}x\n`
    expect(frontMatter(note)).toEqual({})
    expect(parseNote('', note).tags).toEqual([])
  })
})
