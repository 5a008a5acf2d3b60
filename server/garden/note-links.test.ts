import { describe, expect, it } from 'vitest'
import { gardenLinks } from './note-links.ts'
import { joinPath, linkResolver } from './resolve-link.ts'

const files = [
  'README.md',
  'Beds/North bed.md',
  'Beds/Notes.md',
  'Growing/Notes.md',
  'Growing/Compost.md',
  'data/x.json',
]
const named = files
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, title: path === 'README.md' ? 'Start' : 'T' }))
const resolve = linkResolver(named, files)
const wiki = (from: string, target: string) => resolve(from, { kind: 'wiki', target })
const markdown = (from: string, target: string) => resolve(from, { kind: 'markdown', target })

describe('where a link leads', () => {
  it.each([
    ['Beds/Notes.md', 'Compost', 'Growing/Compost.md'],
    ['Beds/Notes.md', 'compost.md', 'Growing/Compost.md'],
    ['Beds/Notes.md', 'NORTH BED', 'Beds/North bed.md'],
    ['Beds/North bed.md', 'Notes', 'Beds/Notes.md'],
    ['Growing/Compost.md', 'Notes', 'Growing/Notes.md'],
    ['README.md', 'Notes', 'Beds/Notes.md'],
    ['README.md', 'Growing/Notes', 'Growing/Notes.md'],
    ['Beds/Notes.md', '../Growing/Compost.md', 'Growing/Compost.md'],
    ['Beds/Notes.md', './North bed', 'Beds/North bed.md'],
    ['Beds/Notes.md', 'Start', 'README.md'],
    ['Beds/Notes.md', '', 'Beds/Notes.md'],
    ['Beds/Notes.md', 'x.json', 'data/x.json'],
    ['Beds/Notes.md', 'post', null],
    ['Beds/Notes.md', '../../secret.md', null],
    ['Beds/Notes.md', 'None', null],
  ])('from %s, [[%s]] leads to %s', (from, target, expected) => expect(wiki(from, target)).toBe(expected))

  it.each([
    ['Beds/Notes.md', 'North bed.md', 'Beds/North bed.md'],
    ['Beds/Notes.md', 'Compost.md', null],
    ['Beds/Notes.md', '../Growing/Compost.md', 'Growing/Compost.md'],
    ['Beds/Notes.md', '/Growing/Compost.md', 'Growing/Compost.md'],
    ['README.md', 'Growing/', 'Growing'],
    ['Beds/Notes.md', '../../../etc/passwd', null],
  ])('from %s, (%s) leads to %s', (from, target, expected) => expect(markdown(from, target)).toBe(expected))

  it('never climbs out of the garden', () => {
    expect(joinPath('a/b/', '../../../x')).toBeNull()
    expect(joinPath('a/b/', '../../x')).toBe('x')
    expect(joinPath('a/', '/x//./y')).toBe('x/y')
  })
})

const garden = gardenLinks([
  { path: 'README.md', text: '# Start\n\n[[Compost]], [[Slow water]], [[Herb spiral]]\n' },
  {
    path: 'Compost.md',
    text: '# Compost\n\nNeeds the herb-spiral and Slow water. Slow water again. Compost itself.\n',
  },
  {
    path: 'Slow water.md',
    text: '# Slow water\n\n[[Compost heap]] [[Nowhere]] [[Slow water]] [x](gone.md)\n\n| Herb spiral | x |\n',
  },
  {
    path: 'Herb spiral.md',
    text: '# Herb spiral\n\n[[Compost]]: compost, see `Lonely.md` and `README.md`.\n',
  },
  { path: 'Lonely.md', text: '# Alone\n\n`compost` compostable mycompost\n' },
])

describe('a garden', () => {
  it('knows who leads where', () => {
    expect(garden.backlinks('Compost.md')).toEqual(['README.md', 'Herb spiral.md'])
    expect(garden.backlinks('Slow water.md')).toEqual(['README.md'])
    expect(garden.links('Slow water.md').map((link) => link.path)).toEqual([
      null,
      null,
      'Slow water.md',
      null,
    ])
    expect(garden.note('Lonely.md')?.title).toBe('Alone')
  })

  it('finds links that lead nowhere, with what they may have meant', () => {
    expect(
      garden.broken().map(({ from, target, line, suggestions }) => [from, target, line, suggestions]),
    ).toEqual([
      ['Slow water.md', 'Compost heap', 3, ['Compost.md']],
      ['Slow water.md', 'Nowhere', 3, []],
      ['Slow water.md', 'gone.md', 3, []],
    ])
  })

  it('finds notes nobody leads to, entrances excepted', () => {
    expect(garden.orphans()).toEqual([{ path: 'Lonely.md', title: 'Alone', outgoing: 0 }])
  })

  it('finds the first mention of each other note that is not linked yet', () => {
    const of = (path: string) =>
      garden.mentions(path).map(({ path: to, line, text, link }) => [to, line, text, link])
    expect(of('Compost.md')).toEqual([
      ['Herb spiral.md', 3, 'herb-spiral', '[[Herb spiral|herb-spiral]]'],
      ['Slow water.md', 3, 'Slow water', '[[Slow water]]'],
    ])
    expect(of('Slow water.md')).toEqual([['Herb spiral.md', 5, 'Herb spiral', '[[Herb spiral]]']])
    expect(of('Herb spiral.md')).toEqual([['Lonely.md', 3, '`Lonely.md`', '[[Lonely]]']])
    expect(of('Lonely.md')).toEqual([])
    const mention = garden.mentions('Compost.md')[0]
    expect(garden.note('Compost.md')?.prose.slice(mention?.offset).startsWith('herb-spiral')).toBe(true)
  })

  it('takes one plain word for a name only when title and file agree, and never a shared one', () => {
    const links = gardenLinks([
      { path: 'migration.md', text: '# Migration: how we moved\n' },
      { path: 'a/Weather.md', text: '# Weather\n' },
      { path: 'b/Weather.md', text: '# Weather\n' },
      { path: 'Bed.md', text: '# Bed\n' },
      { path: 'x.md', text: 'migration Weather; a bed\n' },
    ])
    expect(links.mentions('x.md')).toEqual([])
  })

  it('escapes the bar of a label in a table', () => {
    const links = gardenLinks([
      { path: 'Slow water.md', text: 'x\n' },
      { path: 'x.md', text: '| a |\n|---|\n| slow water |\n' },
    ])
    expect(links.mentions('x.md')[0]?.link).toBe('[[Slow water\\|slow water]]')
  })
})
