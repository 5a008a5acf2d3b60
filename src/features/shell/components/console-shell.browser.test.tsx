import { usePathname } from 'next/navigation'
import { use } from 'react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { agentList } from '#contracts/agent.contract.ts'
import { searchAnswer } from '#contracts/search.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { withSignIn } from '#lib/sign-in-again.ts'
import { withStepUp } from '#lib/step-up.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { media } from '#lib/testing/media.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { TextField } from '#ui/fields.tsx'

const t = textsOf('shell')
const ui = textsOf('ui')
const ACT = 'Water the bed'
const ROWS = ['a', 'b', 'c'].map((id) => ({ id }))
const COLUMNS = columnsOf<{ id: string }>([{ id: 'name', header: 'Name', cell: ({ id }) => `Row ${id}` }])

const NOTHING = router({
  everywhere: query(searchAnswer, () => ({ items: [] })),
  objects: query(searchAnswer, () => ({ items: [] })),
})

function Page({ act }: { act: () => void }) {
  useAction({ id: 'test.act', label: ACT, keys: 'w', run: act })
  return (
    <>
      <h1>Beds</h1>
      <TextField label="Name" value="" onChange={() => undefined} />
      <DataTable
        label="Beds"
        columns={COLUMNS}
        rows={ROWS}
        rowId={({ id }) => id}
        rowName={({ id }) => id}
        href={({ id }) => `/beds/${id}`}
        scope=""
        empty={null}
      />
    </>
  )
}

async function open() {
  const act = vi.fn()
  const agents = router({ list: query(agentList, () => ({ items: [] })) })
  const screen = await renderInConsole(<Page act={act} />, {
    at: '/inbox',
    procedures: { agents, search: NOTHING },
  })
  return { ...screen, act }
}

/** A page that waits for its server at the address `slow`. */
async function openSlow(slow: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  function Slow() {
    const here = usePathname()
    if (here === slow) use(promise)
    return <p>Here is {here}</p>
  }
  const screen = await renderInConsole(<Slow />, { at: '/inbox' })
  return { ...screen, arrive: () => resolve() }
}

const focusedRow = () => document.activeElement?.closest('tr')?.dataset.row

describe('the keyboard of the console', () => {
  it('shows a frame without an accessibility fault', async () => {
    await open()
    await expectAccessible()
  })

  it('moves through rows by j and k, holds at the ends, and opens by Enter', async () => {
    await open()
    await userEvent.keyboard('jj')
    await expect.poll(focusedRow).toBe('b')
    await userEvent.keyboard('jjj')
    await expect.poll(focusedRow).toBe('c')
    await userEvent.keyboard('kk')
    await expect.poll(focusedRow).toBe('a')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => window.location.pathname).toBe('/beds/a')
  })

  it('does what a key says, on a Cyrillic layout as well', async () => {
    const { act } = await open()
    await userEvent.keyboard('w')
    expect(act).toHaveBeenCalledTimes(1)
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ц', code: 'KeyW', bubbles: true }))
    expect(act).toHaveBeenCalledTimes(2)
  })

  it('leaves every letter to a field that is written in', async () => {
    const { act, ...screen } = await open()
    await screen.getByRole('textbox', { name: 'Name' }).click()
    await userEvent.keyboard('wj?g')
    expect(act).not.toHaveBeenCalled()
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    expect(window.location.pathname).toBe('/inbox')
  })

  it('lists every key that works here by ?, and gives the focus back', async () => {
    const { act, ...screen } = await open()
    await userEvent.keyboard('?')
    const sheet = screen.getByRole('dialog', { name: t('shortcuts') })
    await expect.element(sheet.getByText(ACT)).toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('w')
    expect(act).not.toHaveBeenCalled()
    await userEvent.keyboard('{Escape}')
    await expect.element(sheet).not.toBeInTheDocument()
  })

  it('finds an act by its name with Ctrl K, and does it', async () => {
    const { act, ...screen } = await open()
    // Its code is loaded now: what is typed meanwhile is kept.
    await userEvent.keyboard('{Control>}k{/Control}wa')
    const search = screen.getByRole('dialog', { name: t('openPalette') }).getByRole('combobox')
    await expect.element(search).toHaveFocus()
    await expect.element(search).toHaveValue('wa')
    await expectAccessible()
    await userEvent.keyboard('ter')
    await expect.element(search).toHaveValue('water')
    await userEvent.keyboard('{Enter}')
    await expect.element(search).not.toBeInTheDocument()
    expect(act).toHaveBeenCalledOnce()
  })

  it('shows that a page is on its way, by key as by link', async () => {
    const { arrive, ...screen } = await openSlow('/jobs')
    const line = () => document.querySelectorAll('[data-navigating]').length
    await userEvent.keyboard('gj')
    await expect.poll(line).toBe(1)
    const said = screen.getByRole('status').filter({ hasText: ui('loadingMore') })
    await expect.element(said).toBeInTheDocument()
    const place = screen.getByRole('link', { name: t('jobs'), exact: true }).first()
    await expect.poll(() => place.element().querySelector('.animate-spin')).not.toBeNull()
    await expect.element(screen.getByText('Here is /inbox')).toBeVisible()
    arrive()
    await expect.element(screen.getByText('Here is /jobs')).toBeVisible()
    await expect.poll(line).toBe(0)
    await expect.element(said).not.toBeInTheDocument()
    expect(place.element().querySelector('.animate-spin')).toBeNull()
  })

  it('stays where it is without a network, by link and by key, and says why', async () => {
    const { network, ...screen } = await open()
    await expect.element(screen.getByText(textsOf('live')('live'))).toBeVisible()
    network.disconnect()
    await expect.element(screen.getByRole('link', { name: t('unknownHealthOffline') })).toBeVisible()
    await screen
      .getByRole('navigation')
      .first()
      .getByRole('link', { name: t('jobs') })
      .click()
    await expect.element(screen.getByText(ui('offlinePage'))).toBeVisible()
    await userEvent.keyboard('gj')
    await userEvent.keyboard('j{Enter}')
    expect(window.location.pathname).toBe('/inbox')
    await expectAccessible()
    network.connect()
    await userEvent.keyboard('gj')
    await expect.poll(() => window.location.pathname).toBe('/jobs')
  })

  it('goes to a place by g and its letter', async () => {
    await open()
    await userEvent.keyboard('gj')
    await expect.poll(() => window.location.pathname).toBe('/jobs')
  })
})

it('opens its menus, and asks over the page for a password that an act needs or a session that has ended', async () => {
  const screen = await open()
  await screen.getByRole('button', { name: `${t('owner')}: owner` }).click()
  await expect.element(screen.getByRole('menuitem', { name: t('signOut') })).toBeVisible()
  await userEvent.keyboard('{Escape}')
  const dialog = screen.getByRole('dialog')
  const refused = (code: string) => () => Promise.reject({ error: { code, message: '', details: null } })
  for (const [asking, code, title] of [
    [withStepUp, 'STEP_UP_REQUIRED', 'stepUp'],
    [withSignIn, 'TOKEN_EXPIRED', 'signInAgain'],
  ] as const) {
    const left = expect(asking(refused(code))).rejects.toBeTruthy()
    await expect.element(dialog.getByRole('heading', { name: t(title) })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await left
  }
  await page.viewport(390, 844)
  onTestFinished(() => page.viewport(1280, 800))
  await screen.getByRole('button', { name: t('more') }).click()
  await expect.element(screen.getByRole('menuitem', { name: t('audit') })).toBeVisible()
})

it('keeps its head, its foot and the place where one is in sight, however low the window', async () => {
  onTestFinished(() => page.viewport(1280, 800))
  await page.viewport(1280, 480)
  const screen = await renderInConsole(<h1>Beds</h1>, { at: '/settings' })
  for (const [role, name] of [
    ['link', 'Garden Bloom'],
    ['link', t('settings')],
    ['button', `${t('owner')}: owner`],
  ] as const)
    await expect.element(screen.getByRole(role, { name }).first()).toBeInViewport({ ratio: 1 })
  const places = screen.getByRole('navigation', { name: t('navigation') })
  await expect.element(places.getByRole('link', { name: t('inbox') })).not.toBeInViewport()
  await page.viewport(1280, 720)
  for (const place of places.getByRole('link').all()) await expect.element(place).toBeInViewport({ ratio: 1 })
})

it('is not on paper: a page is printed without its frame, its filters and what floats', async () => {
  await open()
  await media('print')
  try {
    const seen = (selector: string) =>
      [...document.querySelectorAll(selector)]
        .filter((one) => one.checkVisibility())
        .map((one) => one.outerHTML)
    expect(document.querySelectorAll('nav, [data-live], [popover]').length).toBeGreaterThan(2)
    expect(seen('nav, [data-live], [popover], input:not([value]), main input:placeholder-shown')).toEqual([])
    expect(seen('main h1, main td').length).toBeGreaterThan(ROWS.length)
  } finally {
    await media('')
  }
})

describe('a connection that can be read on the way', () => {
  const said = async (secure: boolean) => {
    const own = Object.getOwnPropertyDescriptor(window, 'isSecureContext')
    Object.defineProperty(window, 'isSecureContext', { configurable: true, get: () => secure })
    onTestFinished(() => {
      if (own) Object.defineProperty(window, 'isSecureContext', own)
    })
    const screen = await open()
    return screen.getByText(t('insecure'))
  }

  it('is said on every page', async () => {
    await expect.element(await said(false)).toBeVisible()
    await expectAccessible()
  })

  it('is not said where it is encrypted or stays on the machine', async () => {
    await expect.element(await said(true)).not.toBeInTheDocument()
  })
})

it('is installed as an app from the menu and the command menu, each time the browser offers it once', async () => {
  const screen = await open()
  const offer = () => {
    const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt: vi.fn() })
    window.dispatchEvent(event)
    return event
  }
  const menu = screen.getByRole('button', { name: `${t('owner')}: owner` })
  const item = screen.getByRole('menuitem', { name: t('install') })
  await menu.click()
  await expect.element(screen.getByRole('menuitem', { name: t('signOut') })).toBeVisible()
  expect(item.elements()).toEqual([])
  const { prompt, defaultPrevented } = offer()
  await item.click()
  expect([prompt.mock.calls.length, defaultPrevented]).toEqual([1, true])
  await userEvent.keyboard('{Control>}k{/Control}')
  const command = screen.getByRole('option', { name: t('install') })
  await expect.element(screen.getByRole('option', { name: t('signOut') })).toBeVisible()
  expect(command.elements()).toEqual([])
  const again = offer()
  await command.click()
  expect(again.prompt).toHaveBeenCalledOnce()
})
