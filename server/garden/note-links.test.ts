import { describe, expect, it } from 'vitest'
import { gardenLinks } from './note-links.ts'
import { joinPath, linkResolver, linkSuggester } from './resolve-link.ts'

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
const garden = await gardenLinks(notes)

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

  it('is read once for a list, and the same text under another path has its own title', async () => {
    expect(await gardenLinks(notes)).toBe(garden)
    const twins = await gardenLinks(['a.md', 'b.md'].map((path) => ({ path, text: 'same\n' })))
    expect([twins.note('a.md')?.title, twins.note('b.md')?.title]).toEqual(['a', 'b'])
  })
})

/** One note a line: how a link stands in `Догляд/Полив.md`, and where it leads. */
const LINKED_NOTES = [
  { path: 'README.md', text: '# Сад\n' },
  { path: 'Догляд/Полив.md', text: '' },
  { path: 'Догляд/Шкідники/Попелиця.md', text: '# Попелиця на яблуні\n' },
  { path: 'Шкідники/Попелиця.md', text: '# Інша\n' },
  { path: 'Beds/North bed.md', text: '---\ntitle: The bed in the north\n---\n' },
]
const leads = async (written: string) => {
  const notes = LINKED_NOTES.map((n) => (n.text === '' ? { ...n, text: `${written}\n` } : n))
  return (await gardenLinks(notes)).links('Догляд/Полив.md')
}

describe('a link as it stands in a note', () => {
  it.each([
    ['[[North bed]]', 'Beds/North bed.md'],
    ['[[north BED]]', 'Beds/North bed.md'],
    ['[[Beds/North bed]]', 'Beds/North bed.md'],
    ['[[Beds/North bed.md]]', 'Beds/North bed.md'],
    ['[[The bed in the north]]', 'Beds/North bed.md'],
    ['[[The bed in the north|a bed]]', 'Beds/North bed.md'],
    ['[[North bed#Soil]]', 'Beds/North bed.md'],
    ['[[North bed#Soil|its soil]]', 'Beds/North bed.md'],
    ['| a |\n|---|\n| [[North bed\\|bed]] |', 'Beds/North bed.md'],
    ['![[North bed]]', 'Beds/North bed.md'],
    ['[[Попелиця на яблуні]]', 'Догляд/Шкідники/Попелиця.md'],
    ['[[ПОПЕЛИЦЯ НА ЯБЛУНІ]]', 'Догляд/Шкідники/Попелиця.md'],
    ['[[Шкідники/Попелиця]]', 'Шкідники/Попелиця.md'],
    ['[[./Шкідники/Попелиця]]', 'Догляд/Шкідники/Попелиця.md'],
    ['[[Сад]]', 'README.md'],
    ['[[Beds]]', 'Beds'],
    ['[[#Коли]]', 'Догляд/Полив.md'],
    ['[[Bed]]', null],
    ['[b](../Beds/North%20bed.md)', 'Beds/North bed.md'],
    ['[b](<../Beds/North bed.md>)', 'Beds/North bed.md'],
    ['[b](../Beds/North%20bed.md#soil "Soil")', 'Beds/North bed.md'],
    ['[b](../beds/north%20bed)', 'Beds/North bed.md'],
    ['[b][n]\n\n[n]: /Beds/North%20bed.md', 'Beds/North bed.md'],
    ['[п](%D0%A8%D0%BA%D1%96%D0%B4%D0%BD%D0%B8%D0%BA%D0%B8/Попелиця.md)', 'Догляд/Шкідники/Попелиця.md'],
    ['[п](Шкідники/Попелиця.md)', 'Догляд/Шкідники/Попелиця.md'],
    ['[b](../Beds/)', 'Beds'],
    ['[b](North%20bed.md)', null],
    ['[b](100%.md)', null],
    ['[b](../../outside.md)', null],
  ])('%s leads to %s', async (written, expected) => {
    expect((await leads(written)).map((link) => link.path)).toEqual([expected])
  })

  it.each([
    '`[[North bed]]`',
    '```\n[[North bed]]\n```',
    '<!-- [[North bed]] -->',
    '[w](https://e.org)',
    '[h](#h)',
  ])('%s is none', async (written) => expect(await leads(written)).toEqual([]))

  it('prefers the path from the root, then the one from its folder, then the end of a path', () => {
    const at = (paths: string[]) =>
      linkResolver([], paths)('Догляд/Полив.md', { kind: 'wiki', target: 'Б/В' })
    expect(at(['А/Б/В.md'])).toBe('А/Б/В.md')
    expect(at(['А/Б/В.md', 'Догляд/Б/В.md'])).toBe('Догляд/Б/В.md')
    expect(at(['А/Б/В.md', 'Догляд/Б/В.md', 'Б/В.md'])).toBe('Б/В.md')
  })

  it('that is broken suggests the end of its path, or the only note with its name', () => {
    const suggest = linkSuggester(['Beds/North bed.md', 'a/Notes.md', 'b/Notes.md'])
    expect(suggest('../old/Beds/north bed.md')).toBe('Beds/North bed.md')
    expect(suggest('old/North bed')).toBe('Beds/North bed.md')
    expect(suggest('b/notes')).toBe('b/Notes.md')
    expect(suggest('Notes')).toBeNull()
    expect(suggest('')).toBeNull()
  })
})
