import { expect, it } from 'vitest'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { NotFoundPage } from './states.tsx'

const t = textsOf('shell')
const ui = textsOf('ui')

it('leads from an object that is not there to its list', async () => {
  const screen = await renderInConsole(<NotFoundPage />, { at: '/notes/Beds/North%20bed.md' })
  await expect.element(screen.getByRole('heading', { level: 1, name: ui('noObject') })).toBeVisible()
  await expect.element(screen.getByText('Beds/North bed.md')).toBeVisible()
  await expect.element(screen.getByRole('link', { name: ui('showAll') })).toHaveAttribute('href', '/notes')
  await expectAccessible()
})

it.each([
  ['guest', '/jobs/a-job'],
  ['guest', '/zones/a/b'],
  ['operator', '/zones/a-zone'],
] as const)('offers a %s no list that is not theirs, at %s', async (role, at) => {
  const screen = await renderInConsole(<NotFoundPage />, { at, role })
  await expect.element(screen.getByRole('link', { name: t('goHome') })).toHaveAttribute('href', '/')
  await expect.element(screen.getByRole('link', { name: ui('showAll') })).not.toBeInTheDocument()
})

it('leads from any other address to the start page', async () => {
  const screen = await renderInConsole(<NotFoundPage />, { at: '/nothing' })
  await expect.element(screen.getByRole('heading', { level: 1, name: t('notFound') })).toBeVisible()
  await expect.element(screen.getByRole('link', { name: t('goHome') })).toHaveAttribute('href', '/')
})

it('shows an address that cannot be decoded as it is', async () => {
  const screen = await renderInConsole(<NotFoundPage />, { at: '/jobs/%E0%A4%A' })
  await expect.element(screen.getByText('%E0%A4%A')).toBeVisible()
})
