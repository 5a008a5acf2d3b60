import { describe, expect, test } from 'vitest'
import { renderedText } from './read-note.ts'

const NOWHERE = { resolve: () => null }

describe('the tree of a note', () => {
  type Node = { tagName?: string; properties?: { dataLine?: number }; position?: unknown; children?: Node[] }
  const nodesOf = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(nodesOf)]
  const rendered = async (text: string, title = true) => {
    const { tree, headings } = await renderedText(text, NOWHERE, title)
    return { nodes: nodesOf(tree as Node), headings: headings.map((heading) => heading.text) }
  }

  test('has on each block the line of the file that it begins at; of a text that is no note on none', async () => {
    const text = '---\na: 1\n---\n# Leeks\n\nEarth *up*.\n\n- one\n- two\n\n```\nhoe\n```\n\n|a|\n|-|\n|b|\n'
    const { nodes } = await rendered(text)
    const lines = nodes.flatMap(({ tagName, properties }) =>
      properties?.dataLine === undefined ? [] : [[tagName, properties.dataLine]],
    )
    expect(lines).toEqual([
      ['p', 6],
      ['ul', 8],
      ['li', 8],
      ['li', 9],
      ['pre', 11],
      ['table', 15],
      ['tr', 15],
      ['th', 15],
      ['tr', 17],
      ['td', 17],
    ])
    expect(nodes.filter(({ position }) => position)).toEqual([])
    // Two versions of a text are compared block by block, wherever they stand.
    expect(JSON.stringify((await rendered(text, false)).nodes[0])).not.toContain('dataLine')
  })

  test.each<[string, string, string[]]>([
    ['its title', '# Leeks\n\n## Soil\n', ['Soil']],
    ['the title that it states', '---\ntitle: Leeks\n---\n\n# *Leeks*\n', []],
    ['its title, below what is not shown', '<!-- seen -->\n\n[a]: b\n\n# Leeks\n', []],
    ['another title than it states', '---\ntitle: Beds\n---\n\n# Leeks\n', ['Leeks']],
    ['a heading below a text', 'A word before.\n\n# Leeks\n', ['Leeks']],
    ['a heading below another', '## Soil\n\n# Leeks\n', ['Soil', 'Leeks']],
  ])('leaves out the heading that repeats the title above it, no other: %s', async (_, text, shown) => {
    const { nodes, headings } = await rendered(text)
    expect(headings).toEqual(shown)
    expect(nodes.filter(({ tagName }) => /^h\d$/.test(tagName ?? ''))).toHaveLength(shown.length)
  })
})
