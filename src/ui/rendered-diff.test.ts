import { describe, expect, it } from 'vitest'
import { renderedDiff, type Tree } from './rendered-diff.ts'

type Node = Tree['children'][number]
const text = (value: string): Node => ({ type: 'text', value })
const el = (tagName: string, ...children: (Node | string)[]): Node => ({
  type: 'element',
  tagName,
  properties: {},
  children: children.map((child) => (typeof child === 'string' ? text(child) : child)),
})
const root = (...children: Node[]): Tree => ({ type: 'root', children })
const html = (nodes: readonly Node[]): string =>
  nodes
    .map((n) => (n.type === 'text' ? n.value : `<${n.tagName}>${html(n.children)}</${n.tagName}>`))
    .join('')
const diff = (before: Tree | null, after: Tree | null) => html(renderedDiff(before, after).children)
const p = (...children: (Node | string)[]) => el('p', ...children)

describe('two rendered documents as one', () => {
  it.each<[string, Node[], Node[], string]>([
    ['what stayed is shown once', [p('Leeks.')], [p('Leeks.')], '<p>Leeks.</p>'],
    [
      'words of a paragraph',
      [p('Water the north bed daily.')],
      [p('Water the south bed daily.')],
      '<p>Water the <del>north</del><ins>south</ins> bed daily.</p>',
    ],
    [
      'words inside emphasis and links',
      [p('Sow ', el('em', 'early beans'), ' in May.')],
      [p('Sow ', el('em', 'late beans'), ' in May.')],
      '<p>Sow <del><em>early</em></del><ins><em>late</em></ins><em> beans</em> in May.</p>',
    ],
    ['a paragraph that came', [p('A.')], [p('A.'), p('B.')], '<p>A.</p><ins><p>B.</p></ins>'],
    [
      'a text with little in common is replaced',
      [p('Leeks and garlic.')],
      [p('Quite another sentence here')],
      '<del><p>Leeks and garlic.</p></del><ins><p>Quite another sentence here</p></ins>',
    ],
    [
      'items of a list keep their list',
      [el('ul', el('li', 'beans'), el('li', 'kale'))],
      [el('ul', el('li', 'beans'), el('li', 'chard'), el('li', 'kale'))],
      '<ul><li>beans</li><li><ins>chard</ins></li><li>kale</li></ul>',
    ],
    [
      'cells of a table keep their row',
      [el('table', el('tbody', el('tr', el('td', 'a'), el('td', 'ten litres now'))))],
      [el('table', el('tbody', el('tr', el('td', 'a'), el('td', 'two litres now'))))],
      '<table><tbody><tr><td>a</td><td><del>ten</del><ins>two</ins> litres now</td></tr></tbody></table>',
    ],
    [
      'code is replaced as a whole',
      [el('pre', el('code', 'water(1)'))],
      [el('pre', el('code', 'water(2)'))],
      '<del><pre><code>water(1)</code></pre></del><ins><pre><code>water(2)</code></pre></ins>',
    ],
  ])('%s', (_, before, after, expected) => {
    expect(diff(root(...before), root(...after))).toBe(expected)
  })

  it('a document on one side alone is all inserted or all deleted', () => {
    expect(diff(null, root(p('A.')))).toBe('<ins><p>A.</p></ins>')
    expect(diff(root(p('A.')), null)).toBe('<del><p>A.</p></del>')
  })

  it('without the marks it is the new document, without what was inserted the old one', () => {
    const strip = (nodes: readonly Node[], drop: string, open: string): Node[] =>
      nodes.flatMap((n) => {
        if (n.type === 'text') return [n]
        if (n.tagName === drop) return []
        const children = strip(n.children, drop, open)
        return n.tagName === open ? children : [{ ...n, children }]
      })
    const words = (nodes: readonly Node[]): string => html(nodes).replace(/<[^>]*>/g, '')
    const before = root(
      p('One two ', el('b', 'three'), ' four five six'),
      el('ul', el('li', 'a'), el('li', 'b')),
    )
    const after = root(p('One ', el('b', 'three'), ' four seven six'), el('ul', el('li', 'b'), el('li', 'c')))
    const { children } = renderedDiff(before, after)
    expect(words(strip(children, 'del', 'ins'))).toBe(words(after.children))
    expect(words(strip(children, 'ins', 'del'))).toBe(words(before.children))
  })
})
