import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { DataTable } from './data-table.tsx'
import { columnsOf } from './data-table-columns.ts'
import { Id } from './id.tsx'
import { Page } from './page.tsx'
import { PageHeader } from './page-header.tsx'
import { ScrollBox } from './scroll-box.tsx'
import { SplitPane } from './split-pane.tsx'
import { Tabs } from './tabs.tsx'

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 800 }
const LONG = Array.from({ length: 80 }, (_, n) => `item-${n}`)

/** Long enough to scroll, with the hidden words of an id in every row. */
const Ids = () => (
  <ul>
    {LONG.map((id) => (
      <li key={id}>
        <Id value={id} />
      </li>
    ))}
  </ul>
)
const OnePage = () => (
  <Page>
    <PageHeader title="Beds" />
    <Tabs label="View" tabs={[{ id: 'a', label: 'One' }]} value="a" onChange={() => undefined}>
      <ScrollBox label="Box" className="max-h-40">
        <Ids />
      </ScrollBox>
      <Ids />
    </Tabs>
  </Page>
)
const TwoPanes = () => (
  <SplitPane
    list={
      <>
        <PageHeader title="Beds" />
        <p className="sticky top-0">Head</p>
        <Ids />
      </>
    }
    detail={<Ids />}
    detailLabel="Bed"
    listHref="/beds"
  />
)

/** What can be scrolled up and down, by its role or name; the boxes that scroll on purpose are left out. */
function scrollers(): string[] {
  const [root, ...rest] = [document.documentElement, ...document.body.querySelectorAll('*')]
  const inside = rest.filter(
    (e) => ['auto', 'scroll'].includes(getComputedStyle(e).overflowY) && !e.matches('[aria-label=Box]'),
  )
  return [root as Element, ...inside]
    .filter((e) => e.scrollHeight > e.clientHeight)
    .map((e) => e.getAttribute('aria-label') ?? e.tagName)
}

it.each([
  ['a page', OnePage, DESK, ['MAIN']],
  ['a page on a phone', OnePage, PHONE, ['HTML']],
  ['list and detail', TwoPanes, DESK, ['DIV', 'Bed']],
  ['a detail on a phone', TwoPanes, PHONE, ['HTML']],
])('%s scrolls once, and not sideways', async (_name, Content, { width, height }, expected) => {
  await page.viewport(width, height)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await renderInConsole(<Content />, { at: '/inbox' })
  await expect.element(screen.getByText('item-79').last()).toBeInTheDocument()
  expect(scrollers()).toEqual(expected)
  expect(document.documentElement.scrollWidth).toBe(document.documentElement.clientWidth)
})

it('wraps tabs that are too wide, and none is out of sight', async () => {
  await page.viewport(PHONE.width, PHONE.height)
  onTestFinished(() => page.viewport(1280, 800))
  const names = ['Завдання', 'Групи збоїв', 'Активність за годину', 'Переглянути вихідний текст']
  const tabs = names.map((label) => ({ id: label, label }))
  const screen = await renderInConsole(
    <Tabs label="View" tabs={tabs} value={names[3] as string} onChange={() => undefined}>
      Panel
    </Tabs>,
  )
  const list = screen.getByRole('tablist').element()
  expect(list.scrollWidth).toBe(list.clientWidth)
  const rights = names.map(
    (name) => screen.getByRole('tab', { name }).element().getBoundingClientRect().right,
  )
  expect(Math.max(...rights)).toBeLessThanOrEqual(PHONE.width)
})

it('makes rows of two lines denser, too, where the reader wants them compact', async () => {
  const columns = columnsOf<{ id: string }>([
    {
      id: 'name',
      header: 'Name',
      cell: ({ id }) => (
        <span className="block py-(--row-pad)">
          <span className="block">{id}</span>
          <span className="block text-sm">of the north bed</span>
        </span>
      ),
    },
  ])
  const rows = [{ id: 'Leeks' }]
  const screen = await renderInConsole(
    <DataTable label="Beds" columns={columns} rows={rows} rowId={({ id }) => id} scope="" empty={null} />,
  )
  const height = () => screen.getByRole('row').last().element().getBoundingClientRect().height
  await expect.element(screen.getByText('Leeks')).toBeVisible()
  expect(height()).toBeGreaterThan(48)
  document.documentElement.dataset.density = 'compact'
  onTestFinished(() => void delete document.documentElement.dataset.density)
  expect(height()).toBeLessThanOrEqual(37)
})

it('keeps the head of a list at the very edge of its pane, and says where the clipboard refuses', async () => {
  await page.viewport(DESK.width, DESK.height)
  onTestFinished(() => page.viewport(1280, 800))
  const clipboard = { writeText: () => Promise.reject(new Error('denied')) }
  const spy = vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(clipboard as never)
  onTestFinished(() => spy.mockRestore())
  const screen = await renderInConsole(<TwoPanes />, { at: '/inbox' })
  const head = screen.getByText('Head').element()
  const pane = head.parentElement as HTMLElement
  pane.scrollTo(0, 300)
  await expect.poll(() => head.getBoundingClientRect().top - pane.getBoundingClientRect().top).toBe(0)
  await screen.getByText('item-20', { exact: true }).first().click()
  await expect.element(screen.getByText(textsOf('ui')('copyRefused'))).toBeVisible()
})

it('shows a tip without a gap in lines of its own width, with nothing to scroll', async () => {
  const digest = 'ab'.repeat(32)
  const screen = await renderInConsole(
    <button type="button" data-tip={digest}>
      Snapshot
    </button>,
  )
  await screen.getByText('Snapshot').hover()
  const tip = screen.getByRole('tooltip')
  await expect.element(tip).toHaveTextContent(digest)
  expect(tip.element().scrollWidth).toBeLessThanOrEqual(tip.element().clientWidth)
  await expectAccessible()
})
