import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { toString as plainText } from 'mdast-util-to-string'
import { describe, expect, it } from 'vitest'
import { parseMarkdown, walk } from './markdown.ts'
import { blocksOf } from './markdown-lines.ts'

const words = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()

/** Headings and fences at the top of a text, by the tree and by the lines. */
function fromTree(text: string) {
  const top = parseMarkdown(text).children
  return top.flatMap((node) => {
    const [from, to] = [node.position?.start.line ?? 0, node.position?.end.line ?? 0]
    if (node.type === 'heading')
      return [{ kind: 'heading', from, to, depth: node.depth, title: words(plainText(node)) }]
    return node.type === 'code' ? [{ kind: 'code', from, to }] : []
  })
}
function fromLines(text: string) {
  return blocksOf(text.split('\n')).flatMap((block) => {
    const [from, to] = [block.from + 1, block.to + 1]
    if (block.kind === 'heading') {
      const [heading] = parseMarkdown(`# ${block.title}`).children
      return [
        { kind: 'heading', from, to, depth: block.depth, title: heading ? words(plainText(heading)) : '' },
      ]
    }
    return block.kind === 'code' ? [{ kind: 'code', from, to }] : []
  })
}

const FOLDERS = [path.join(import.meta.dirname, '../../prisma/seed/garden'), process.env.E2E_GARDEN]
const FILES = FOLDERS.flatMap((folder) =>
  folder ? globSync('**/*.md', { cwd: folder }).map((file) => path.join(folder, file)) : [],
)

describe('lines and tree', () => {
  it('has notes to compare', () => expect(FILES.length).toBeGreaterThan(15))

  it.each(FILES)('see the same headings and fences in %s', (file) => {
    const text = readFileSync(file, 'utf8')
    expect(fromLines(text)).toEqual(fromTree(text))
  })

  it.each([
    '---\ntitle: x\n---\n# A\n',
    '--- \ntitle: x\n---\t\n# A\n',
    '---\r\ntitle: x\r\n---\r\n# A\r\n',
    '# A #\n\n##  Б `c` \n\n```md\n# no\n```\n\n### *d* [e](f.md)\n',
    '~~~~\n~~~\n# no\n~~~~\n# A\n',
    '\uFEFF---\ntitle: x\n---\n# A\n',
    '\uFEFF# A\n',
    'text\n# A\ntext\n```\ncode\n```\n',
    '#no\n\n#######no\n\n# \n',
  ])('see the same in %j', (text) => expect(fromLines(text)).toEqual(fromTree(text)))

  it('finds links, headings and fences below each other by their lines', () => {
    const kinds = (text: string) => blocksOf(text.split('\n')).map(({ kind, from, to }) => [kind, from, to])
    expect(kinds('# A\n\none\ntwo\n- x\n  y\n\n  z\n- w\n| a |\n|---|\n***\n```\n\n```')).toEqual([
      ['heading', 0, 0],
      ['paragraph', 2, 3],
      ['item', 4, 7],
      ['item', 8, 8],
      ['table', 9, 10],
      ['code', 12, 14],
    ])
  })

  it('reads every node of a tree once', () => {
    expect([...walk(parseMarkdown('a *b*\n'))].map((node) => node.type)).toEqual([
      'root',
      'paragraph',
      'text',
      'emphasis',
      'text',
    ])
  })
})
