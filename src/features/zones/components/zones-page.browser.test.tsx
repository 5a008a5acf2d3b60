import { expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { z } from 'zod'
import { notePage } from '#contracts/note.contract.ts'
import {
  type ZonePreviewRequest,
  type ZoneView,
  zonePage,
  zonePreview,
  zoneView,
} from '#contracts/zone.contract.ts'
import { type ReadingList, readerList, readingPage } from '#contracts/zone-reading.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ZonePage } from './zone-page.tsx'
import { ZonesPage } from './zones-page.tsx'

const t = textsOf('zones')
const after = (ms: number) => new Date(Date.now() + ms).toISOString()
const HOUR_MS = 3_600_000

const OPEN: ZoneView = {
  zone_id: 'zone_1',
  status: 'open',
  name: 'Neighbours',
  description: '',
  folders: ['Beds'],
  tags: [],
  consent_policy: 'standard',
  policy_version: 1,
  created_by: 'owner',
  created_at: after(-HOUR_MS),
  expires_at: after(5 * HOUR_MS + 30_000),
  revoked_at: null,
  locked_until: null,
  suggestions: false,
  entries: 3,
  failed_attempts: 0,
  guests: 0,
}
const REVOKED: ZoneView = {
  ...OPEN,
  zone_id: 'zone_2',
  name: 'A visitor',
  status: 'revoked',
  revoked_at: after(-2 * HOUR_MS),
}

const READINGS = [
  { reading_id: 'r1', guest: 2, path: 'Beds/North bed.md', openings: 3 },
  { reading_id: 'r2', guest: 1, path: 'Beds/South.md', openings: 1 },
].map((row) => ({ ...row, first_read_at: after(-HOUR_MS), last_read_at: after(-60_000) }))
const reader = (guest: number, notes: number) => ({
  ...{ guest, notes },
  entered_at: after(-HOUR_MS),
  last_read_at: after(-60_000),
})

/** The page of a zone; `readings` are what its guests opened. */
async function openZone(zone: ZoneView = OPEN, readings = READINGS) {
  const zones = router({
    get: query(zoneView, () => zone),
    readers: query(readerList, () => ({
      items: readings.map(({ guest }) => reader(guest, guest)),
      total: readings.length,
    })),
    readings: query(readingPage, ({ guest }: ReadingList) => ({
      items: readings.filter((row) => guest === undefined || row.guest === guest),
      next_cursor: null,
    })),
  })
  const audit = router({ history: query(z.object({ items: z.array(z.never()) }), () => ({ items: [] })) })
  const page = <ZonePage id={zone.zone_id} />
  return renderInConsole(page, { procedures: { zones, audit }, at: `/zones/${zone.zone_id}` })
}

async function open() {
  const zones = router({
    list: query(zonePage, () => ({ items: [OPEN, REVOKED], next_cursor: null })),
    preview: query(zonePreview, ({ folders }: ZonePreviewRequest) => ({
      notes: folders.includes('Beds') ? 3 : 0,
      unknown_folders: folders.filter((folder) => folder !== 'Beds'),
      unknown_tags: [],
      reading: false,
    })),
  })
  const notes = router({
    list: query(notePage, () => ({
      ...{ revision: 'r', items: [], next_cursor: null, total: 3, tags: [], reading: false },
      folders: [{ path: 'Beds', name: 'Beds', depth: 0, notes: 3 }],
    })),
  })
  const screen = await renderInConsole(<ZonesPage />, { procedures: { zones, notes }, at: '/zones' })
  const row = (zone: ZoneView) => screen.getByRole('row').filter({ hasText: zone.name })
  await expect.element(row(OPEN)).toBeVisible()
  /** What is seen of a row, on one line. */
  const seen = (zone: ZoneView) => (row(zone).element() as HTMLElement).innerText.replace(/\s+/g, ' ')
  return { ...screen, row, seen }
}

it('says on a phone what each number and each time is', async () => {
  await page.viewport(390, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await open()
  expect(screen.seen(OPEN)).toContain(`${t('guests')} 0 ${t('entries')} 3 ${t('expires')} 5 h 00 m`)
  expect(screen.seen(REVOKED)).toContain(`${t('ended')} 2 hours ago`)
  const [name, menu] = [
    screen.getByText(OPEN.name, { exact: true }).element(),
    screen.row(OPEN).getByRole('button').element(),
  ].map((element) => element.getBoundingClientRect())
  expect(menu?.top, 'the menu stands beside the name').toBeLessThan(name?.bottom ?? 0)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
})

it('leaves that to the head of the table where there is one', async () => {
  const screen = await open()
  await expect.element(screen.getByRole('columnheader', { name: t('guests') })).toBeVisible()
  expect(screen.seen(OPEN)).not.toContain(t('guests'))
  expect(screen.seen(REVOKED)).not.toContain(t('ended'))
})

it('asks before a zone is created, kept longer or revoked', async () => {
  const screen = await open()
  const leave = async (title: string) => {
    await expect.element(screen.getByRole('dialog').getByRole('heading', { name: title })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
  }
  await userEvent.keyboard('n')
  await leave(t('createTitle'))
  for (const [act, title] of [
    ['extend', 'extendTitle'],
    ['revoke', 'revokeTitle'],
  ] as const) {
    await screen.row(OPEN).getByRole('button').click()
    await screen.getByRole('menuitem', { name: t(act) }).click()
    await leave(t(title, { name: OPEN.name }))
  }
})

it('says what guests will see before a zone is made, and offers the folders that there are', async () => {
  const screen = await open()
  await userEvent.keyboard('n')
  const dialog = screen.getByRole('dialog')
  await dialog.getByLabelText(t('folders'), { exact: true }).fill('Bedz')
  const said = dialog.getByRole('status').filter({ hasText: t('preview', { n: 0 }) })
  await expect.element(said.getByText(t('unknown', { names: 'Bedz' }))).toBeVisible()
  await dialog.getByLabelText(t('folders'), { exact: true }).fill('')
  await dialog.getByLabelText(t('addFolder')).selectOptions('Beds')
  await expect.element(dialog.getByLabelText(t('folders'), { exact: true })).toHaveValue('Beds')
  await expect.element(dialog.getByText(`${t('preview', { n: 3 })}.`)).toBeVisible()
  await expectAccessible()
})

it('opens a zone by keys', async () => {
  await open()
  await userEvent.keyboard('jj')
  await userEvent.keyboard('k{Enter}')
  await expect.poll(() => window.location.pathname).toBe(`/zones/${OPEN.zone_id}`)
})

it('lists what guests opened, of all or of one, on a phone too', async () => {
  const screen = await openZone()
  const rows = screen.getByRole('table').getByRole('row')
  const north = rows.filter({ hasText: 'North bed' })
  await expect.element(north.getByText(t('page.guestNo', { n: 2 }))).toBeVisible()
  await expect.element(north.getByText(t('page.times', { n: 3 }))).toBeVisible()
  await expectAccessible()
  await screen.getByLabelText(t('page.guest')).selectOptions(t('page.guestNotes', { n: 1, notes: 1 }))
  await expect.element(north).not.toBeInTheDocument()
  await expect.element(screen.getByText(new RegExp(`^${t('page.entered')} `))).toBeVisible()
  expect(new URLSearchParams(window.location.search).get('guest')).toBe('1')
  await page.viewport(390, 844)
  onTestFinished(() => page.viewport(1280, 800))
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
  await userEvent.keyboard('j{Enter}')
  await expect.poll(() => window.location.pathname).toBe('/notes/Beds/South.md')
})

it('says that no guest has opened a note, and takes no command of a zone that has ended', async () => {
  const screen = await openZone(REVOKED, [])
  await expect.element(screen.getByText(t('page.readingsEmpty'))).toBeVisible()
  await expect.element(screen.getByRole('search')).not.toBeInTheDocument()
  await expect.element(screen.getByRole('button', { name: t('revoke') })).not.toBeInTheDocument()
  await expectAccessible()
})

it('has a key for each command on the page of a zone', async () => {
  const screen = await openZone()
  await expect.element(screen.getByRole('button', { name: t('revoke') })).toBeVisible()
  for (const [key, title] of [
    ['e', 'extendTitle'],
    ['r', 'revokeTitle'],
  ] as const) {
    await userEvent.keyboard(key)
    const heading = screen.getByRole('dialog').getByRole('heading', { name: t(title, { name: OPEN.name }) })
    await expect.element(heading).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(heading).not.toBeInTheDocument()
  }
})
