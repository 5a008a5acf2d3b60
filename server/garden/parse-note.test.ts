import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frontMatter } from './front-matter.ts'
import { parseNote } from './parse-note.ts'
import { plainNote, proseLines } from './parsed-note.ts'

const NOTE = `---
title: The bed
tags: [soil, "#water", bad tag]
---

# Heading with \`code\`

See [[Compost]] and [[Beds/South bed|the south bed]] #pests #2026
or [Watering](../Growing/Watering%20plan.md#rules), [web](https://example.org) and [here](#there).

\`\`\`md
[[not a link]] #not-a-tag
\`\`\`

Code \`[[neither]]\` names \`Compost.md\`, [\`linked.md\`](linked.md), ![[Picture.png]].

| a | b |
|---|---|
| [[Herb spiral\\|herbs]] | x |

## Second

[[#rules]] [[a#b|c]] [[]] [[broken
]]
`

describe('a note', () => {
  const note = parseNote('Beds/North bed.md', NOTE)

  it('has title, headings with lines, and tags', () => {
    expect(note.title).toBe('The bed')
    expect(note.headings).toEqual([
      { depth: 1, text: 'Heading with code', line: 6 },
      { depth: 2, text: 'Second', line: 21 },
    ])
    expect(note.tags).toEqual(['soil', 'water', 'pests'])
  })

  it('has links to other files, outside of code, in the order of the text, each with its line', () => {
    expect(
      note.links.map(({ kind, target, anchor, label, line }) => [kind, target, anchor, label, line]),
    ).toEqual([
      ['wiki', 'Compost', null, 'Compost', 8],
      ['wiki', 'Beds/South bed', null, 'the south bed', 8],
      ['markdown', '../Growing/Watering plan.md', 'rules', 'Watering', 9],
      ['markdown', 'linked.md', null, 'linked.md', 15],
      ['wiki', 'Picture.png', null, 'Picture.png', 15],
      ['wiki', 'Herb spiral', null, 'herbs', 19],
      ['wiki', '', 'rules', '', 23],
      ['wiki', 'a', 'b', 'c', 23],
      ['wiki', '', null, '', 23],
    ])
    for (const link of note.links) expect(NOTE).toContain(link.raw)
  })

  it('takes its title from the first heading, then from its file', () => {
    expect(parseNote('a/x.md', 'text\n\n# One\n\n# Two\n').title).toBe('One')
    expect(parseNote('a/Some note.md', 'text\n').title).toBe('Some note')
  })

  it('reads a broken frontmatter as none', () => {
    for (const yaml of ['a: [', 'a: 1\na: 2', '- list', '*x', 'a: &a [*a, *a]']) {
      expect(parseNote('x.md', `---\n${yaml}\n---\n\n# T\n`).title, yaml).toBe('T')
    }
  })

  it('is read behind a byte order mark as without it, each link and word in its place', () => {
    const { notProse, ...marked } = parseNote('x.md', `\uFEFF${NOTE}`)
    const { notProse: _, ...bare } = parseNote('x.md', NOTE)
    expect(marked).toEqual(bare)
    expect(frontMatter(`\uFEFF${NOTE}`)).toEqual(frontMatter(NOTE))
    expect(proseLines(`\uFEFF${NOTE}`, { notProse }).join('\n')).toBe(
      `\uFEFF${proseLines(NOTE, note).join('\n')}`,
    )
    expect(plainNote('x.md', '\uFEFF# One\n', null).title).toBe('One')
  })

  it('throws on nothing and finds every link where it says', () => {
    const piece = fc.constantFrom(
      '[[',
      ']]',
      '|',
      '#',
      '\n',
      '`',
      '```\n',
      '---\n',
      'a',
      ' ',
      '](x.md)',
      '[',
      '| ',
      '\\',
      '<b>',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('')
        const parsed = parseNote('x.md', text)
        const lines = text.split('\n')
        for (const link of parsed.links.filter((one) => one.kind === 'wiki')) {
          expect(lines[link.line - 1]).toContain(link.raw)
        }
      }),
      { numRuns: 500, seed: 4 },
    )
  })
})
