import { expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { createdKey, type KeyView, keyPage, keyView } from '#contracts/key.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { KeysSection } from './keys-section.tsx'

const t = textsOf('keys')
const ui = textsOf('ui')
const after = (ms: number) => new Date(Date.now() + ms).toISOString()
const DAY_MS = 86_400_000
const SECRET = `gbk_aaaaaaaaaaaaaaaa_${'s'.repeat(43)}`

const ATTIC: KeyView = {
  key_id: '5f0c2a1e8d4b4c9a',
  kind: 'node',
  node_id: 'attic-pi',
  name: 'Attic',
  scopes: ['sync', 'tasks'],
  status: 'active',
  created_by: 'owner',
  created_at: after(-2 * DAY_MS),
  expires_at: after(90 * DAY_MS),
  revoked_at: null,
  last_used_at: null,
}
const OLD: KeyView = {
  ...ATTIC,
  key_id: '0123456789abcdef',
  name: 'Cellar',
  node_id: 'cellar',
  status: 'revoked',
  expires_at: null,
  revoked_at: after(-DAY_MS),
  last_used_at: after(-DAY_MS),
}

type Refuse = ConstructorParameters<typeof Refused> | null
async function open(role: 'owner' | 'operator' = 'owner', refuse: Refuse = null) {
  const asked: [string, unknown][] = []
  let listed = [ATTIC, OLD]
  const reads = { count: 0 }
  const answer = (what: string) => (input: unknown) => {
    asked.push([what, input])
    if (refuse) throw new Refused(...refuse)
    listed = [{ ...ATTIC, key_id: 'aaaaaaaaaaaaaaaa', name: 'Successor' }, ...listed]
    return { key: listed[0] as KeyView, secret: SECRET }
  }
  const keys = router({
    list: query(keyPage, () => {
      reads.count += 1
      return { items: listed, next_cursor: null }
    }),
    create: mutation(createdKey, answer('create')),
    rotate: mutation(createdKey, answer('rotate')),
    revoke: mutation(keyView, (input) => {
      asked.push(['revoke', input])
      return { ...OLD, key_id: ATTIC.key_id }
    }),
  })
  const screen = await renderInConsole(<KeysSection />, { procedures: { keys }, role, at: '/settings' })
  const row = (key: KeyView) => screen.getByRole('row').filter({ hasText: key.node_id })
  await expect.element(row(ATTIC)).toBeVisible()
  const act = async (label: string) => {
    await screen.getByRole('button', { name: t('actionsOf', { name: ATTIC.name }) }).click()
    await screen.getByRole('menuitem', { name: label }).click()
  }
  const dialog = screen.getByRole('dialog')
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  const field = (label: 'node' | 'name') => dialog.getByLabelText(t(label), { exact: false })
  return { ...screen, row, act, asked, reads, dialog, press, field }
}

function clipboard() {
  const written: string[] = []
  const spy = vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => {
    written.push(text)
  })
  onTestFinished(() => spy.mockRestore())
  return written
}

it('creates a key, shows it once, and forgets it when it is closed', async () => {
  const written = clipboard()
  const screen = await open()
  await screen.getByRole('button', { name: t('create'), exact: true }).click()
  await screen.field('node').fill(' shed-pi ')
  await screen.field('name').fill('Shed')
  await expectAccessible()
  await screen.press(t('create'))
  await expect.element(screen.dialog.getByText(SECRET)).toBeVisible()
  expect(screen.asked).toEqual([
    ['create', { kind: 'node', node_id: 'shed-pi', name: 'Shed', expires_in_days: 365 }],
  ])
  await expectAccessible()
  await screen.press(t('copy'))
  await expect.element(screen.dialog.getByRole('status')).toHaveTextContent(ui('copied'))
  expect(written).toEqual([SECRET])
  await screen.press(t('done'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
  await expect.element(screen.getByText('Successor')).toBeVisible()
  expect(document.body.textContent).not.toContain(SECRET)
  await screen.getByRole('button', { name: t('create'), exact: true }).click()
  await expect.element(screen.field('node')).toHaveValue('')
})

it('warns before a key that was not copied is lost', async () => {
  const screen = await open()
  await screen.act(t('rotate'))
  await screen.dialog.getByLabelText(t('handover')).selectOptions(t('handovers.never'))
  await screen.dialog.getByLabelText(t('lifetime')).selectOptions(t('lifetimes.never'))
  await screen.press(t('rotate'))
  await expect.element(screen.dialog.getByText(SECRET)).toBeVisible()
  expect(screen.asked).toEqual([
    ['rotate', { key_id: ATTIC.key_id, expires_in_days: null, previous_ends_in_hours: null }],
  ])
  await screen.press(ui('close'))
  await expect.element(screen.dialog.getByRole('alert')).toHaveTextContent(t('notCopied'))
  await expect.element(screen.dialog.getByText(SECRET)).toBeVisible()
  await screen.press(ui('close'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
  expect(document.body.textContent).not.toContain(SECRET)
})

it.each([
  ['there is no clipboard', undefined],
  ['the clipboard refuses', { writeText: () => Promise.reject(new Error('denied')) }],
])('names the keys that copy where %s, and knows that they were pressed', async (_, clipboard) => {
  const screen = await open()
  const spy = vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(clipboard as never)
  onTestFinished(() => spy.mockRestore())
  await screen.act(t('rotate'))
  await screen.press(t('rotate'))
  await screen.press(t('copy'))
  await vi.waitFor(() => expect(window.getSelection()?.toString()).toBe(SECRET))
  await expect
    .element(screen.dialog.getByRole('status'))
    .toHaveTextContent(ui('copyByHand', { keys: 'Ctrl+C' }))
  await userEvent.copy()
  await expect.element(screen.dialog.getByRole('status')).toHaveTextContent(ui('copied'))
  await screen.press(t('done'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
})

it('says at the form that the node has two keys, and keeps what was typed', async () => {
  const screen = await open('owner', ['LIMIT_EXCEEDED', 'This node already has two valid keys.'])
  await screen.getByRole('button', { name: t('create'), exact: true }).click()
  await screen.field('node').fill('shed-pi')
  await screen.field('name').fill('Shed')
  await screen.press(t('create'))
  await expect.element(screen.dialog.getByRole('alert')).toHaveTextContent(t('twoAlready'))
  await expect.element(screen.field('node')).toHaveValue('shed-pi')
})

it('revokes after asking, and offers nothing for a key that has ended', async () => {
  const screen = await open()
  await screen.act(t('revoke'))
  await expect.element(screen.dialog.getByText(t('revokeHint', { node: ATTIC.node_id }))).toBeVisible()
  await screen.press(t('revoke'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
  expect(screen.asked).toEqual([['revoke', { key_id: ATTIC.key_id }]])
  await expect
    .element(screen.getByRole('button', { name: t('actionsOf', { name: OLD.name }) }))
    .not.toBeInTheDocument()
})

it('shows operators the list, which changes by itself, and no way to change it', async () => {
  const screen = await open('operator')
  await expect
    .element(screen.getByRole('button', { name: t('create'), exact: true }))
    .toHaveAttribute('aria-disabled', 'true')
  expect(screen.getByRole('button', { name: t('actionsOf', { name: ATTIC.name }) }).query()).toBeNull()
  const before = screen.reads.count
  screen.network.publish({ id: '1', topic: 'key.changed', resource: { type: 'key', id: ATTIC.key_id } })
  await vi.waitFor(() => expect(screen.reads.count).toBeGreaterThan(before))
})

it('says on a phone what each time is, without scrolling sideways', async () => {
  await page.viewport(390, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await open()
  const seen = (key: KeyView) => (screen.row(key).element() as HTMLElement).innerText.replace(/\s+/g, ' ')
  expect(seen(ATTIC)).toContain(`${t('lastUsed')} ${t('never')}`)
  expect(seen(ATTIC)).toContain(`${t('expires')} in 3 months`)
  expect(seen(OLD)).toContain(`${t('ended')} 1 day ago`)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
  await screen.act(t('rotate'))
  await screen.press(t('rotate'))
  await expect.element(screen.dialog.getByText(SECRET)).toBeVisible()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  const { width } = screen.dialog.element().getBoundingClientRect()
  expect(width).toBeLessThanOrEqual(390)
})
