import { describe, expect, it } from 'vitest'
import { type TreeNode, treeRows, treeStep, typedRow } from './tree-model.ts'

const leaf = (id: string): TreeNode => ({ id, label: id, href: `/${id}` })
const TREE: TreeNode[] = [
  { ...leaf('Beds'), children: [leaf('North'), leaf('South')] },
  { ...leaf('Compost'), children: [] },
  leaf('Ґрунт'),
  leaf('Bulbs'),
]
const rowsWith = (...open: string[]) => {
  const set = new Set(open)
  return { open: set, rows: treeRows(TREE, set) }
}

describe('a tree', () => {
  it('shows what lies in open branches, each with its level and place', () => {
    const { rows } = rowsWith('Beds')
    expect(rows.map(({ node, level, at, of }) => [node.id, level, at, of])).toEqual([
      ['Beds', 1, 1, 4],
      ['North', 2, 1, 2],
      ['South', 2, 2, 2],
      ['Compost', 1, 2, 4],
      ['Ґрунт', 1, 3, 4],
      ['Bulbs', 1, 4, 4],
    ])
    expect(rowsWith().rows).toHaveLength(4)
  })

  const focus = (id: string) => ({ kind: 'focus', id })
  const toggle = (open: boolean, ...ids: string[]) => ({ kind: 'toggle', ids, open })
  it.each([
    ['ArrowDown', 'Beds', ['Beds'], focus('North')],
    ['ArrowDown', 'Beds', [], focus('Compost')],
    ['ArrowDown', 'Bulbs', [], null],
    ['ArrowUp', 'Compost', ['Beds'], focus('South')],
    ['Home', 'Bulbs', [], focus('Beds')],
    ['End', 'Beds', ['Beds'], focus('Bulbs')],
    ['ArrowRight', 'Beds', [], toggle(true, 'Beds')],
    ['ArrowRight', 'Beds', ['Beds'], focus('North')],
    ['ArrowRight', 'Compost', ['Compost'], null],
    ['ArrowRight', 'North', ['Beds'], null],
    ['ArrowLeft', 'South', ['Beds'], focus('Beds')],
    ['ArrowLeft', 'Beds', ['Beds'], toggle(false, 'Beds')],
    ['ArrowLeft', 'Beds', [], null],
    ['*', 'Bulbs', [], toggle(true, 'Beds', 'Compost')],
    ['Enter', 'Beds', [], null],
  ])('%s on %s with %j open', (key, id, open, expected) => {
    expect(treeStep(key, { ...rowsWith(...open), id })).toEqual(expected)
  })

  it.each([
    ['b', 'Beds', 'Bulbs'],
    ['b', 'Bulbs', 'Beds'],
    ['bb', 'Beds', 'Bulbs'],
    ['bu', 'Bulbs', 'Bulbs'],
    ['ґ', 'Beds', 'Ґрунт'],
    ['z', 'Beds', null],
    [' ', 'Beds', null],
  ])('typing %j on %s', (typed, id, expected) => {
    expect(typedRow(rowsWith().rows, id, typed)).toBe(expected)
  })
})
