/** The state of a list in the URL, in the steps that Back undoes. */
import {
  PathnameContext,
  SearchParamsContext,
} from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { beforeEach, expect, it } from 'vitest'
import { cleanup, render } from 'vitest-browser-react'
import { Address } from './testing/address.tsx'
import { type Filters, useFilters, useUrlValue } from './url-state.ts'

let filters: Filters
let setTab: (value: string) => void

function List() {
  filters = useFilters(['status', 'text'])
  const [tab, set] = useUrlValue('tab', 'list')
  setTab = set
  return <p>{`${filters.scope} ${tab} ${filters.active}`}</p>
}

let shown: () => string | null
beforeEach(async () => {
  // A step of its own, so that what is written next is counted by the ways back to it.
  window.history.pushState(null, '', '/')
  const { container } = await render(
    <Address start="/jobs?text=a&other=1#place">
      <List />
    </Address>,
  )
  shown = () => container.textContent
})

const here = () => `${location.pathname}${location.search}${location.hash}`
const back = () =>
  new Promise<void>((resolve) => {
    window.addEventListener('popstate', () => resolve(), { once: true })
    history.back()
  })

it('a filter is read from the URL, written to it and taken out again; the rest of it stays', async () => {
  expect(shown()).toBe('{"status":null,"text":"a"} list true')
  filters.set({ status: 'DEAD', text: null })
  expect(here()).toBe('/jobs?other=1&status=DEAD#place')
  await expect.poll(shown).toBe('{"status":"DEAD","text":null} list true')
  filters.clear()
  expect(here()).toBe('/jobs?other=1#place')
  await expect.poll(shown).toBe('{"status":null,"text":null} list false')
})

it('a change of several filters is one step, and a change to what is there is none', async () => {
  filters.set({ status: 'DEAD', text: 'b' })
  filters.set({ status: 'DEAD' })
  await back()
  expect(here()).toBe('/jobs?text=a&other=1#place')
  await expect.poll(shown).toBe('{"status":null,"text":"a"} list true')
})

it('whoever goes back before the framework has taken a change over sees what was there', async () => {
  await cleanup()
  window.history.pushState(null, '', '/jobs?text=a')
  const { container } = await render(
    <PathnameContext value="/jobs">
      <SearchParamsContext value={new URLSearchParams('text=a')}>
        <List />
      </SearchParamsContext>
    </PathnameContext>,
  )
  filters.set({ text: 'b' })
  await expect.poll(() => container.textContent).toContain('"text":"b"')
  await back()
  await expect.poll(() => container.textContent).toContain('"text":"a"')
})

it('typing in one field is one step until it is left', async () => {
  for (const text of ['ab', 'abc']) filters.set({ text }, 'typed')
  filters.settle()
  filters.set({ text: 'abcd' }, 'typed')
  await back()
  await expect.poll(shown).toContain('"text":"abc"')
  await back()
  await expect.poll(shown).toContain('"text":"a"')
})

it('typing after another change is another step', async () => {
  filters.set({ text: 'ab' }, 'typed')
  filters.set({ status: 'DEAD' })
  filters.set({ text: 'abc' }, 'typed')
  const before: string[] = []
  for (let step = 0; step < 3; step++) {
    await back()
    before.push(location.search)
  }
  expect(before).toEqual(['?text=ab&other=1&status=DEAD', '?text=ab&other=1', '?text=a&other=1'])
})

it('what was written and left behind is nothing to a page that comes later', async () => {
  const late = `${location.pathname}?text=late`
  filters.set({ text: 'written' })
  History.prototype.replaceState.call(history, null, '', late)
  const { container } = await render(
    <Address start={late}>
      <List />
    </Address>,
  )
  expect(container.textContent).toBe('{"status":null,"text":"late"} list true')
})

it('a value shows its default where the URL has none, and does not write it', async () => {
  setTab('failures')
  expect(here()).toBe('/jobs?text=a&other=1&tab=failures#place')
  await expect.poll(shown).toContain('failures')
  setTab('list')
  expect(here()).toBe('/jobs?text=a&other=1#place')
  await expect.poll(shown).toContain('list')
})
