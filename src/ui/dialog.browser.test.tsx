import { lazy, useRef, useState } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { Button } from './button.tsx'
import { Confirm } from './confirm.tsx'
import { Dialog } from './dialog.tsx'
import { DialogOnDemand } from './dialog-on-demand.tsx'
import { TextField } from './fields.tsx'

const t = textsOf('ui')
const MIN = 10
const FAULT = {
  error: { code: 'STORAGE_UNAVAILABLE', message: 'down', retryable: true },
  correlation_id: 'correlation-of-a-test',
}

type Given = Partial<Parameters<typeof Confirm>[0]>

function Page({ mounts = false, ...given }: Given & { mounts?: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Delete sample</Button>
      <TextField label="Behind" value="" onChange={() => undefined} />
      {mounts && !open ? null : (
        <Confirm
          open={open}
          onClose={() => setOpen(false)}
          title="Delete it?"
          confirmLabel="Delete"
          reason={{ min: MIN }}
          onConfirm={async () => undefined}
          {...given}
        />
      )}
    </>
  )
}

async function open(given: Given & { mounts?: boolean } = {}) {
  const onConfirm = vi.fn(given.onConfirm ?? (async () => undefined))
  const screen = await renderInConsole(<Page {...given} onConfirm={onConfirm} />)
  const opener = screen.getByRole('button', { name: 'Delete sample' })
  await opener.click()
  const dialog = screen.getByRole('dialog')
  await expect.element(dialog).toBeVisible()
  const confirm = dialog.getByRole('button', { name: 'Delete', exact: true })
  return { ...screen, opener, dialog, confirm, onConfirm }
}

const focused = () => document.activeElement as HTMLElement

describe('a dialog', () => {
  it('takes the focus to where one writes, and is named by its title', async () => {
    const { dialog } = await open()
    await expect.element(dialog).toHaveAccessibleName('Delete it?')
    expect(focused().tagName).toBe('TEXTAREA')
  })

  it.each([
    ['confirming', 'primary', 'Delete'],
    ['cancelling', 'danger', t('cancel')],
  ] as const)(
    'starts at the %s button that suits its tone where nothing is to be written',
    async (_, tone, name) => {
      const { dialog } = await open({ reason: undefined, tone })
      expect(focused()).toBe(dialog.getByRole('button', { name, exact: true }).element())
    },
  )

  it('keeps the focus: the page behind is never reached', async () => {
    const { dialog } = await open()
    for (let step = 0; step < 8; step++) {
      await userEvent.tab()
      expect(dialog.element().contains(focused()) || focused() === document.body).toBe(true)
    }
  })

  it.each([
    ['told to', false],
    ['unmounted', true],
  ])(
    'is left by Escape, and when it is closed by being %s the focus returns to what opened it',
    async (_, mounts) => {
      const { dialog, opener, onConfirm } = await open({ mounts })
      await userEvent.keyboard('{Escape}')
      await expect.element(dialog).not.toBeInTheDocument()
      expect(focused()).toBe(opener.element())
      expect(onConfirm).not.toHaveBeenCalled()
    },
  )

  it('is left by a click beside it, but not by a press that only ends or only begins there', async () => {
    const { dialog, screen } = await opened()
    const body = page.elementLocator(document.body)
    const beside = { x: 5, y: 5 }
    const field = screen.getByRole('textbox', { name: t('reason') })
    await userEvent.dragAndDrop(field, body, { targetPosition: beside, force: true })
    await userEvent.dragAndDrop(body, field, { sourcePosition: beside, force: true })
    await expect.element(dialog).toBeVisible()
    await body.click({ position: beside, force: true })
    await expect.element(dialog).not.toBeInTheDocument()
  })

  it('asks its owner once at each Escape, and stays for as long as it is wanted', async () => {
    const onClose = vi.fn()
    const screen = await renderInConsole(
      <Dialog open title="Kept" onClose={onClose}>
        Written once.
      </Dialog>,
    )
    for (const times of [1, 2, 3, 4]) {
      await userEvent.keyboard('{Escape}')
      await expect.poll(() => onClose.mock.calls.length).toBe(times)
      await expect.element(screen.getByRole('dialog', { name: 'Kept' })).toBeVisible()
    }
    expect(onClose).toHaveBeenCalledTimes(4)
  })

  it('gives no key of the page away while it is open', async () => {
    const { dialog } = await open({ reason: undefined })
    await userEvent.keyboard('?')
    await expect.element(dialog).toBeVisible()
    expect(document.querySelectorAll('dialog[open]')).toHaveLength(1)
  })
})

describe('a confirmation with a reason', () => {
  it('says how much is missing and cannot be confirmed before', async () => {
    const { screen, confirm, onConfirm } = await opened()
    await expect.element(screen.getByText(t('reasonLeast', { min: MIN, left: MIN }))).toBeVisible()
    await screen.getByRole('textbox', { name: t('reason') }).fill('        short')
    await expect.element(screen.getByText(t('reasonLeast', { min: MIN, left: MIN - 5 }))).toBeVisible()
    await expect.element(confirm).toHaveAttribute('aria-disabled', 'true')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    ;(confirm.element() as HTMLElement).click()
    expect(onConfirm).not.toHaveBeenCalled()
    await expectAccessible()
  })

  it('passes the reason on without the space around it, and closes', async () => {
    const { dialog, screen, confirm, onConfirm } = await opened()
    await screen.getByRole('textbox', { name: t('reason') }).fill('  long enough  ')
    await confirm.click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(onConfirm.mock.calls).toEqual([['long enough']])
  })

  it('stays with what was written when it is refused, and says why', async () => {
    const { dialog, screen, confirm } = await opened({ onConfirm: () => Promise.reject(FAULT) })
    await screen.getByRole('textbox', { name: t('reason') }).fill('long enough')
    await confirm.click()
    await expect
      .element(dialog.getByRole('alert'))
      .toHaveTextContent(textsOf('errors')('STORAGE_UNAVAILABLE'))
    await expect.element(screen.getByRole('textbox', { name: t('reason') })).toHaveValue('long enough')
    await expectAccessible()
  })

  it('is not left by Escape while it is on its way: what is sent cannot be called back', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { dialog, screen, confirm } = await opened({ onConfirm: () => promise })
    await screen.getByRole('textbox', { name: t('reason') }).fill('long enough')
    await confirm.click()
    await expect.element(confirm).toHaveAttribute('aria-busy', 'true')
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).toBeVisible()
    resolve()
    await expect.element(dialog).not.toBeInTheDocument()
  })

  it('is shown again when the browser closes it at yet another Escape, and says why it was refused', async () => {
    const { promise, reject } = Promise.withResolvers<void>()
    const { dialog, screen, confirm } = await opened({ onConfirm: () => promise })
    await screen.getByRole('textbox', { name: t('reason') }).fill('long enough')
    await confirm.click()
    await expect.element(confirm).toHaveAttribute('aria-busy', 'true')
    // Chromium lets a page prevent only so many of them in a row.
    for (const _ of [1, 2, 3, 4]) await userEvent.keyboard('{Escape}')
    await expect.element(dialog).toBeVisible()
    reject(FAULT)
    const why = textsOf('errors')('STORAGE_UNAVAILABLE')
    await expect.element(dialog.getByRole('alert')).toHaveTextContent(why)
    expect(dialog.element().matches(':modal')).toBe(true)
    expect(dialog.element().contains(focused())).toBe(true)
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
  })

  it('cannot be confirmed while something else is missing', async () => {
    const { confirm, onConfirm } = await opened({ reason: undefined, disabledReason: 'Type the count' })
    await expect.element(confirm).toHaveAccessibleDescription('Type the count')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    expect(onConfirm).not.toHaveBeenCalled()
  })
})

async function opened(given: Given = {}) {
  const screen = await open(given)
  return { ...screen, screen }
}

describe('a dialog whose code is still to come', () => {
  const { promise: code, resolve: arrive } = Promise.withResolvers<{ default: typeof Late }>()
  const Lazy = lazy(() => code)
  function Late({ typed, onClose }: { typed: { current: string }; onClose: () => void }) {
    const [value, setValue] = useState(() => typed.current)
    return (
      <Dialog open title="Late" onClose={onClose}>
        <TextField label="Here" value={value} onChange={setValue} autoFocus />
      </Dialog>
    )
  }
  function LatePage() {
    const typed = useRef('')
    const [open, setOpen] = useState(true)
    const close = () => setOpen(false)
    if (!open) return null
    return (
      <DialogOnDemand typed={typed} onClose={close}>
        <Lazy typed={typed} onClose={close} />
      </DialogOnDemand>
    )
  }

  it('keeps what is typed until then, and goes on with it', async () => {
    const screen = await renderInConsole(<LatePage />)
    await expect.element(screen.getByRole('textbox', { name: t('loading') })).toHaveFocus()
    await expectAccessible()
    await userEvent.keyboard('north ')
    arrive({ default: Late })
    const field = screen.getByRole('textbox', { name: 'Here' })
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard('bed')
    await expect.element(field).toHaveValue('north bed')
  })
})
