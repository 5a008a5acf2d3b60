import { useState } from 'react'
import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { DataTable } from './data-table.tsx'
import { columnsOf } from './data-table-columns.ts'

const t = textsOf('ui')
type Bed = { name: string }
const COLUMNS = columnsOf<Bed>([{ id: 'name', header: 'Bed', cell: ({ name }) => name }])

/** A list that gets a row on top with each press. */
function Page() {
  const [count, setCount] = useState(1)
  const rows = Array.from({ length: count }, (_, n) => ({ name: `Bed ${count - n}` }))
  return (
    <>
      <button type="button" onClick={() => setCount(count + 1)}>
        Add
      </button>
      <DataTable
        label="Beds"
        columns={COLUMNS}
        rows={rows}
        rowId={({ name }) => name}
        scope="beds"
        empty={null}
      />
    </>
  )
}

it('announces once that the list has changed, until it is refreshed', async () => {
  const screen = await renderInConsole(<Page />)
  const regions = () => [...document.querySelectorAll('main [role=status]')]
  await expect.element(screen.getByRole('row', { name: 'Bed 1' })).toBeVisible()
  const before = regions()
  const said: (string | null)[] = []
  const watch = new MutationObserver(() => said.push(...before.map(({ textContent }) => textContent)))
  for (const region of before) watch.observe(region, { childList: true, subtree: true, characterData: true })
  const add = screen.getByRole('button', { name: 'Add' })
  for (const count of [1, 2, 3]) {
    await add.click()
    await expect.element(screen.getByRole('button', { name: t('showNew', { count }) })).toBeVisible()
  }
  expect(regions()).toEqual(before)
  expect(said.filter(Boolean)).toEqual([t('listChanged')])
  await expectAccessible()
  await userEvent.keyboard('.')
  await expect.element(screen.getByRole('row', { name: 'Bed 4' })).toBeVisible()
  expect(
    regions()
      .map(({ textContent }) => textContent)
      .join(''),
  ).toBe('')
  watch.disconnect()
})
