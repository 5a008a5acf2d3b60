import { expect, it, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { useAction } from '#lib/keyboard.tsx'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { useFilters } from '#lib/url-state.ts'
import { FilterBar, type FilterSpec } from './filter-bar.tsx'

const BEDS = ['all', 'north', 'south'].map((value) => ({ value: value === 'all' ? '' : value, label: value }))
const SPECS: FilterSpec[] = [{ kind: 'segmented', key: 'bed', label: 'Bed', options: BEDS }]
const move = vi.fn()

/** A list that takes the arrow keys, and its filters. */
function Page() {
  const filters = useFilters(['bed'])
  useAction({ id: 'next', label: 'Next', keys: ['j', 'ArrowDown'], run: move })
  return <FilterBar filters={filters} specs={SPECS} count="7 samples" />
}

it('gives the arrow keys to the choice that has the focus, and the other keys to the list', async () => {
  const screen = await renderInConsole(<Page />, { at: '/samples' })
  const choice = (name: string) => screen.getByRole('radio', { name })
  await choice('all').click({ force: true })
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(choice('north')).toBeChecked()
  expect(window.location.search).toBe('?bed=north')
  expect(move).not.toHaveBeenCalled()
  await userEvent.keyboard('j')
  expect(move).toHaveBeenCalledOnce()
  ;(document.activeElement as HTMLElement).blur()
  await userEvent.keyboard('{ArrowDown}')
  expect(move).toHaveBeenCalledTimes(2)
})

it('announces no count, which changes by itself', async () => {
  const screen = await renderInConsole(<Page />, { at: '/samples' })
  const count = screen.getByText('7 samples')
  await expect.element(count).toBeVisible()
  expect(count.element().closest('output, [role=status], [aria-live]')).toBeNull()
})
