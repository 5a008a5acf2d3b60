import { describe, expect, it } from 'vitest'
import { gardenLinks } from '#server/garden/note-links.ts'
import { gardenFaults } from './garden-check.task.ts'
import { unlinkedMentions, withLinks } from './unlinked-mentions.ts'

const revision = 'a'.repeat(40)
const garden = (files: Record<string, string>) =>
  Object.entries(files).map(([path, text]) => ({ path, text, revision }))

describe('garden-check and the console', () => {
  const notes = garden({
    'README.md':
      '# Start\n\n[[The long bed]] [[Beds/]] [b](Beds/) ![[plan.png]] [d](data.json) [[Gone]] [g](gone.md)\n',
    'Beds/Bed 1.md': '---\ntitle: The long bed\n---\n\n[[start]]\n',
    'Beds/Bed 2.md': '# Bed 2\n',
  })

  it('agree where a link leads: by title, to a folder, by name', async () => {
    const links = await gardenLinks(notes)
    const { broken, orphans } = gardenFaults(notes, links)
    expect(broken.map(({ line, target }) => [line, target])).toEqual([
      [3, 'Gone'],
      [3, 'gone.md'],
    ])
    expect(orphans.map(({ path, title }) => [path, title])).toEqual([['Beds/Bed 2.md', null]])
    const followed = links.links('README.md')
    const dead = followed.filter((link) => link.path === null).map((link) => link.target)
    expect(dead).toEqual(['plan.png', 'data.json', 'Gone', 'gone.md'])
  })
})

describe('mentions', () => {
  it('are found in prose alone, and linked so that the console follows them', async () => {
    const notes = garden({
      'a.md':
        '---\ntitle: Tool Shed\n---\n# Tool Shed\n\n`Tool Shed` [Tool Shed](x.md) <b title="Tool Shed">\n\n**Tool Shed** is by the Long Bed.\n',
      'x.md': '# Notes about water\n\nThe tool shed holds hoses.\n\n| a |\n|---|\n| Long Bed |\n',
      'shed/tool-shed.md': '# Tool Shed of old\n',
      'y/Long Bed.md': '# L\n',
    })
    const found = await unlinkedMentions(notes, await gardenLinks(notes))
    expect(found.map(({ path, line, link }) => [path, line, link])).toEqual([
      ['a.md', 8, '[[Long Bed]]'],
      ['x.md', 3, '[[a|tool shed]]'],
      ['x.md', 7, '[[Long Bed]]'],
    ])
    const text = withLinks(
      notes[1]?.text ?? '',
      found.filter((m) => m.path === 'x.md'),
    )
    const after = notes.map((n) => (n.path === 'x.md' ? { ...n, text } : n))
    const links = await gardenLinks(after)
    expect(links.links('x.md').map((link) => link.path)).toEqual(['a.md', 'y/Long Bed.md'])
    expect((await unlinkedMentions(after, links)).map((m) => m.path)).toEqual(['a.md'])
  })

  it('are whole names: the longest where several begin, in any letter case, also with signs in front', async () => {
    const paths = ['North Bed.md', 'North Bed of leeks.md', '«Old» shed.md', 'ΟΔΟΣ ΤΗΣ.md', 'v2.1-notes.md']
    const text = 'north bed OF LEEKS, the «old» SHED, οδος της; the North Bedroom, a/North Bed, V2.1-NOTES.\n'
    const notes = garden({ ...Object.fromEntries(paths.map((path) => [path, 'x\n'])), 'a.md': text })
    const found = await unlinkedMentions(notes, await gardenLinks(notes))
    expect(found.map((m) => m.text)).toEqual(['north bed OF LEEKS', '«old» SHED', 'οδος της', 'V2.1-NOTES'])
  })

  it('of many notes are found without holding up others', async () => {
    const words = Array.from({ length: 50 }, (_, i) => `word${i}`)
    const prose = (seed: number) =>
      Array.from({ length: 500 }, (_, i) => words[(i * 7 + seed * 13 + ((i * seed) % 11)) % 50]).join(' ')
    const title = (i: number) => `${words[i % 50]} ${words[(i * 7) % 50]} ${words[(i * 3) % 50]} of ${i}`
    const file = (i: number) => `# ${words[(i * 11) % 50]} ${words[i % 50]}: ${title(i)}\n\n${prose(i)}\n`
    const texts = Array.from({ length: 300 }, (_, i) => [`n/bed-${i}.md`, file(i)])
    const notes = garden({ ...Object.fromEntries(texts), 'a.md': `By ${title(7)}.\n` })
    const links = await gardenLinks(notes)
    let [isOver, turns] = [false, 0]
    const look = () => {
      turns++
      if (!isOver) setImmediate(look)
    }
    setImmediate(look)
    const found = await unlinkedMentions(notes, links)
    isOver = true
    expect(found.filter((m) => m.path === 'a.md').map((m) => m.text)).toEqual([title(7)])
    expect(turns).toBeGreaterThan(1)
  })
})
