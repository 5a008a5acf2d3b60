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

const notes = [
  { path: 'README.md', text: '# Start\n\n[[Compost]], [[Slow water]]\n' },
  { path: 'Compost.md', text: '# Compost\n\n[[Slow water]] twice [[Slow water]]\n' },
  { path: 'Slow water.md', text: '# Slow water\n\n[[Nowhere]] [[Slow water]] [x](gone.md) `[[Compost]]`\n' },
]
const garden = gardenLinks(notes)

describe('a garden', () => {
  it('knows who leads where, oneself excepted', () => {
    expect(garden.backlinks('Compost.md')).toEqual(['README.md'])
    expect(garden.backlinks('Slow water.md')).toEqual(['README.md', 'Compost.md'])
    expect(garden.backlinks('README.md')).toEqual([])
    expect(garden.links('Slow water.md').map((link) => link.path)).toEqual([null, 'Slow water.md', null])
    expect(garden.note('Compost.md')?.title).toBe('Compost')
    expect(garden.note('none.md')).toBeUndefined()
    expect(garden.links('none.md')).toEqual([])
  })

  it('is read once for a list, and the same text under another path has its own title', () => {
    expect(gardenLinks(notes)).toBe(garden)
    const twins = gardenLinks(['a.md', 'b.md'].map((path) => ({ path, text: 'same\n' })))
    expect([twins.note('a.md')?.title, twins.note('b.md')?.title]).toEqual(['a', 'b'])
  })
})
