import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { useStableRows } from './stable-rows.ts'

const idOf = (row: { id: string }) => row.id
function List({ rows }: { rows: readonly { id: string }[] }) {
  const stable = useStableRows(rows, { idOf, scope: 'all', complete: true, departed: new Set() })
  return <p>{stable.rows.map(idOf).join(' ')}</p>
}

it('draws an empty list, and one with rows, without asking for another drawing for ever', () => {
  expect(renderToString(<List rows={[]} />)).toBe('<p></p>')
  expect(renderToString(<List rows={[{ id: 'a' }, { id: 'b' }]} />)).toBe('<p>a b</p>')
})
