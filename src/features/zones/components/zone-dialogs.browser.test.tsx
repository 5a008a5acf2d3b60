/** What the dialogs of zones keep: the code of a new one, what is written about the next, and what is asked of one that ends meanwhile. */
import { useState } from 'react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { notePage } from '#contracts/note.contract.ts'
import { createdZone, type ZoneView, zonePreview, zoneView } from '#contracts/zone.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { CreateZone } from './create-zone.tsx'
import { ZoneActions, ZoneButtons } from './zone-actions.tsx'

const t = textsOf('zones')
const ui = textsOf('ui')
const CODE = 'ZONE-AAAA-BBBB'
const PIXEL = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='
const HOUR_MS = 3_600_000
const OPEN: ZoneView = zoneView.parse({
  ...{ zone_id: 'zone_1', status: 'open', name: 'Neighbours', description: '', folders: ['Beds'], tags: [] },
  ...{ consent_policy: 'standard', policy_version: 1, created_by: 'owner', suggestions: false },
  ...{ created_at: new Date(Date.now() - HOUR_MS).toISOString(), revoked_at: null, locked_until: null },
  ...{ expires_at: new Date(Date.now() + HOUR_MS).toISOString(), entries: 3, failed_attempts: 0, guests: 0 },
})

const procedures = () => ({
  zones: router({
    create: mutation(createdZone, () => ({
      zone: OPEN,
      code: CODE,
      link: 'https://garden.example/z',
      qr: PIXEL,
    })),
    change: mutation(zoneView, () => {
      throw new Refused('ZONE_EXPIRED', 'The zone has expired.')
    }),
    preview: query(zonePreview, () => ({
      ...{ notes: 3, unknown_folders: [], unknown_tags: [], reading: false },
    })),
  }),
  notes: router({
    list: query(notePage, () => ({
      ...{ revision: 'r', items: [], next_cursor: null, total: 3, tags: [], reading: false, folders: [] },
    })),
  }),
})

async function openForm() {
  const screen = await renderInConsole(<CreateZone onMade={() => undefined} />, {
    procedures: procedures(),
    at: '/zones',
  })
  await userEvent.keyboard('n')
  const dialog = screen.getByRole('dialog')
  const field = (name: string) => dialog.getByLabelText(name, { exact: false }).first()
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  return { ...screen, dialog, field, press }
}

async function create() {
  const screen = await openForm()
  await screen.field(t('name')).fill('Neighbours')
  await screen.field(t('folders')).fill('Beds')
  await screen.press(t('create'))
  await expect.element(screen.dialog.getByText(CODE)).toBeVisible()
  return screen
}

it.each([
  ['Escape', () => userEvent.keyboard('{Escape}')],
  [
    'a touch beside it',
    () => page.elementLocator(document.body).click({ position: { x: 5, y: 5 }, force: true }),
  ],
] as const)('warns before the code of a new zone is lost by %s', async (_what, leave) => {
  const { dialog } = await create()
  await leave()
  await expect.element(dialog.getByRole('alert')).toHaveTextContent(t('notCopied'))
  await expect.element(dialog.getByText(CODE)).toBeVisible()
  await expectAccessible()
  await leave()
  await expect.element(dialog).not.toBeInTheDocument()
})

it('lets go of what was copied, and of what the reader says to be done with', async () => {
  const spy = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  onTestFinished(() => spy.mockRestore())
  const { dialog, field, press } = await create()
  await press(t('copyLink'))
  await expect.element(dialog.getByText(t('copied'))).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog).not.toBeInTheDocument()
  await userEvent.keyboard('n')
  await field(t('name')).fill('Others')
  await field(t('folders')).fill('Beds')
  await press(t('create'))
  await press(t('done'))
  await expect.element(dialog).not.toBeInTheDocument()
})

it('keeps what was written about a zone until it is created', async () => {
  const { dialog, field, press } = await openForm()
  await field(t('name')).fill('Neighbours')
  await field(t('folders')).fill('Beds')
  await dialog.getByRole('checkbox').click()
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog).not.toBeInTheDocument()
  await userEvent.keyboard('n')
  await expect.element(field(t('name'))).toHaveValue('Neighbours')
  await expect.element(dialog.getByRole('checkbox')).toBeChecked()
  await expect.element(dialog.getByText(ui('draftRestored'))).toBeVisible()
  await press(t('create'))
  await press(t('done'))
  await expect.element(dialog).not.toBeInTheDocument()
  await userEvent.keyboard('n')
  await expect.element(field(t('name'))).toHaveValue('')
})

it.each([
  ['its page', ZoneButtons],
  ['a list', ZoneActions],
])('keeps what is asked of a zone that expires meanwhile, on %s, and says so', async (_where, Commands) => {
  let expire: () => void = () => undefined
  function Shown() {
    const [zone, setZone] = useState(OPEN)
    expire = () => setZone({ ...OPEN, status: 'expired' })
    return (
      <>
        <p>{zone.status}</p>
        <Commands zone={zone} />
      </>
    )
  }
  const screen = await renderInConsole(<Shown />, { procedures: procedures(), at: '/zones/zone_1' })
  const commands = screen.getByRole('button', {
    name: Commands === ZoneButtons ? t('extend') : `${t('zone')} ${OPEN.name}`,
  })
  await commands.click()
  if (Commands === ZoneActions) await screen.getByRole('menuitem', { name: t('extend') }).click()
  const dialog = screen.getByRole('dialog')
  await dialog.getByLabelText(t('duration')).selectOptions(t('durations.60'))
  expire()
  await expect.element(screen.getByText('expired', { exact: true })).toBeInTheDocument()
  await expect.element(dialog.getByLabelText(t('duration'))).toHaveValue('60')
  await dialog.getByRole('button', { name: t('extend') }).click()
  await expect.element(dialog.getByRole('alert').getByText(textsOf('errors')('ZONE_EXPIRED'))).toBeVisible()
  await dialog.getByRole('button', { name: ui('cancel') }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(commands).not.toBeInTheDocument()
})
