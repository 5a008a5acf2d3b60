/** What was changed here is shown at once, whether or not an event says so. */
import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { z } from 'zod'
import { notePage } from '#contracts/note.contract.ts'
import { createdZone, type ZoneView, zonePage, zonePreview, zoneView } from '#contracts/zone.contract.ts'
import { readerList, readingPage } from '#contracts/zone-reading.contract.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ZonePage } from './zone-page.tsx'
import { ZonesPage } from './zones-page.tsx'

const t = textsOf('zones')
const ui = textsOf('ui')
const HOUR_MS = 3_600_000
const after = (ms: number) => new Date(Date.now() + ms).toISOString()

const aZone = (n: number): ZoneView => ({
  ...{
    zone_id: `0000000${n}`,
    status: 'open',
    name: `Zone ${n}`,
    description: '',
    folders: ['Beds'],
    tags: [],
  },
  ...{ consent_policy: 'standard', policy_version: 1, created_by: 'owner', created_at: after(-HOUR_MS) },
  ...{ expires_at: after(5 * HOUR_MS), revoked_at: null, locked_until: null, suggestions: false },
  ...{ entries: 0, failed_attempts: 0, guests: 0 },
})

type Change = { zone_id: string; minutes?: number; suggestions?: boolean }

/** One zone behind the pages, and those that are made; `changes` is what was asked, `histories` how often a history was read. */
function garden() {
  const zones = [aZone(1)]
  const state = { zones, changes: [] as Change[], histories: 0 }
  const find = (id: string) => zones.find(({ zone_id }) => zone_id === id) as ZoneView
  const procedures = {
    zones: router({
      list: query(zonePage, () => ({ items: zones, next_cursor: null })),
      get: query(zoneView, ({ zone_id }: { zone_id: string }) => find(zone_id)),
      readers: query(readerList, () => ({ items: [], total: 0 })),
      readings: query(readingPage, () => ({ items: [], next_cursor: null })),
      preview: query(zonePreview, () => ({
        ...{ notes: 3, unknown_folders: [], unknown_tags: [], reading: false },
      })),
      create: mutation(createdZone, ({ name }: { name: string }) => {
        zones.unshift({ ...aZone(zones.length + 1), name })
        return { zone: zones[0] as ZoneView, code: 'ZONE-1', link: 'http://localhost/zone', qr: 'data:,' }
      }),
      change: mutation(zoneView, (change: Change) => {
        state.changes.push(change)
        const { zone_id, minutes, suggestions } = change
        return Object.assign(find(zone_id), {
          ...(minutes ? { expires_at: after(minutes * 60_000) } : {}),
          ...(suggestions === undefined ? {} : { suggestions }),
        })
      }),
      revoke: mutation(zoneView, ({ zone_id }: { zone_id: string }) =>
        Object.assign(find(zone_id), { status: 'revoked', revoked_at: after(0) }),
      ),
    }),
    notes: router({
      list: query(notePage, () => ({
        ...{ revision: 'r', items: [], next_cursor: null, total: 3, tags: [], reading: false, folders: [] },
      })),
    }),
    audit: router({
      history: query(z.object({ items: z.array(z.never()) }), () => {
        state.histories++
        return { items: [] }
      }),
    }),
  }
  return { state, procedures }
}

async function openList() {
  const { state, procedures } = garden()
  const screen = await renderInConsole(<ZonesPage />, { procedures, at: '/zones' })
  const row = (name: string) => screen.getByRole('row').filter({ hasText: name })
  const choose = async (item: string) => {
    await row('Zone 1').getByRole('button').click()
    await screen.getByText(item, { exact: true }).click()
  }
  return { ...screen, state, row, choose }
}

it('shows a zone that was revoked as revoked', async () => {
  const screen = await openList()
  await screen.choose(t('revoke'))
  await screen
    .getByRole('dialog')
    .getByRole('button', { name: t('revoke') })
    .click()
  await expect.element(screen.row('Zone 1').getByText(t('state.revoked'))).toBeVisible()
})

it('shows when a zone ends that was given another time', async () => {
  const screen = await openList()
  await screen.choose(t('extend'))
  await screen.getByRole('dialog').getByRole('combobox').selectOptions('15')
  await screen
    .getByRole('dialog')
    .getByRole('button', { name: t('extend') })
    .click()
  await expect.element(screen.row('Zone 1').getByText(/^1[45] m/)).toBeVisible()
})

it('turns the suggestions on and off again', async () => {
  const screen = await openList()
  await screen.choose(t('takeSuggestions'))
  await expect.element(screen.getByText(t('suggestionsOn'))).toBeVisible()
  await screen.choose(t('takeSuggestions'))
  await expect.element(screen.getByText(t('suggestionsOff'))).toBeVisible()
  expect(screen.state.changes.map(({ suggestions }) => suggestions)).toEqual([true, false])
})

it('shows a new zone to whoever made it', async () => {
  const screen = await openList()
  await expect.element(screen.row('Zone 1')).toBeVisible()
  await userEvent.keyboard('n')
  const dialog = screen.getByRole('dialog')
  await dialog.getByRole('textbox', { name: t('name'), exact: false }).fill('Neighbours')
  await dialog.getByLabelText(t('folders'), { exact: true }).fill('Beds')
  await dialog.getByRole('button', { name: t('create') }).click()
  await dialog.getByRole('button', { name: t('done') }).click()
  await expect.element(screen.row('Neighbours')).toBeVisible()
  expect(screen.getByRole('button', { name: ui('showNew', { count: 1 }) }).query()).toBeNull()
})

it.each([
  ['another end', { expires_at: after(20 * HOUR_MS) }],
  ['suggestions', { suggestions: true }],
  ['other terms', { policy_version: 2 }],
])('reads the history of a zone again that was given %s elsewhere', async (_, change) => {
  const { state, procedures } = garden()
  const screen = await renderInConsole(<ZonePage id="00000001" />, { procedures, at: '/zones/00000001' })
  await expect.element(screen.getByRole('heading', { name: 'Zone 1' })).toBeVisible()
  await expect.element(screen.getByText(textsOf('live')('live'), { exact: true })).toBeVisible()
  await expect.poll(() => state.histories).toBe(1)
  Object.assign(state.zones[0] as ZoneView, change)
  screen.network.publish({ id: '1', topic: 'zone.changed', resource: { type: 'zone', id: '00000001' } })
  await expect.poll(() => state.histories).toBe(2)
})
