import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { NodeSync } from '#contracts/node.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aNode, before, CONFIG, fleet } from '../testing/nodes.ts'
import { NodePage } from './node-page.tsx'
import { NodesPage } from './nodes-page.tsx'

const t = textsOf('nodes')
const ui = textsOf('ui')
const SECRET = 'the-secret'

const MANY = () => [
  aNode('attic-pi'),
  aNode('cellar', { state: 'offline', last_seen: before(90), admin_key: true, keys: [], agent: null }),
  aNode('shed/board:1', {
    state: 'waiting',
    last_seen: null,
    first_seen: null,
    projects: [],
    agent_version: null,
  }),
]
async function open(ledger = fleet(MANY()), role: 'owner' | 'operator' = 'owner') {
  const screen = await renderInConsole(<NodesPage />, { procedures: ledger.procedures, role, at: '/nodes' })
  const row = (id: string) => screen.getByRole('row').filter({ hasText: id })
  const dialog = screen.getByRole('dialog')
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  const act = async (node: string, label: string) => {
    await screen.getByRole('button', { name: t('actionsOf', { node }) }).click()
    await screen.getByRole('menuitem', { name: label }).click()
  }
  return { ...screen, ...ledger, row, dialog, press, act }
}
const textOf = (element: { element(): Element }) =>
  (element.element() as HTMLElement).innerText.replace(/\s+/g, ' ')

function clipboard() {
  const written: string[] = []
  const spy = vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => {
    written.push(text)
  })
  onTestFinished(() => spy.mockRestore())
  return written
}

it.each([
  ['a desk', 1280],
  ['a phone', 390],
])('shows which nodes are there, their projects and keys, on %s', async (_, width) => {
  await page.viewport(width, 844)
  onTestFinished(() => page.viewport(1280, 800))
  const screen = await open()
  await expect.element(screen.getByText(t('sentence', { online: 1, offline: 1, waiting: 1 }))).toBeVisible()
  await expect.element(screen.row('attic-pi')).toBeVisible()
  const attic = textOf(screen.row('attic-pi'))
  for (const text of [t('state.online'), 'garden-seedling', '1.4.0', t('ownKey')])
    expect(attic).toContain(text)
  expect(textOf(screen.row('cellar'))).toContain(t('adminKey'))
  await expect.element(screen.getByText(t('adminKeyCount', { count: 1 }))).toBeVisible()
  const way = screen.row('cellar').getByRole('link', { name: t('adminKeyOf', { node: 'cellar' }) })
  await expect.element(way).toHaveAttribute('href', '/nodes/cellar')
  expect(textOf(screen.row('shed/board:1'))).toContain(t('state.waiting'))
  const link = screen.row('shed/board:1').getByRole('link')
  await expect.element(link).toHaveAttribute('href', '/nodes/shed%2Fboard%3A1')
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  await expectAccessible()
})

it('reads again by itself: a node that fell silent is shown so without an event', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const screen = await open()
  await expect.element(screen.row('attic-pi')).toBeVisible()
  Object.assign(screen.nodes[0] as object, { state: 'offline', last_seen: before(2) })
  await vi.advanceTimersByTimeAsync(15_500)
  await expect.element(screen.row('attic-pi').getByText(t('state.offline'))).toBeVisible()
})

it('adds a node, shows its text once, and forgets it when it is closed', async () => {
  const written = clipboard()
  const screen = await open()
  await screen.getByRole('button', { name: t('add') }).click()
  await screen.dialog.getByLabelText(t('node'), { exact: false }).fill(' barn-pi ')
  await expectAccessible()
  await screen.press(t('add'))
  await expect.element(screen.dialog.getByText(SECRET, { exact: false })).toBeVisible()
  expect(screen.asked).toEqual([['add', { node_id: 'barn-pi', expires_in_days: 365 }]])
  await expect.element(screen.dialog.getByText(t('stepKeys'))).toBeVisible()
  const steps = textOf(screen.dialog)
  for (const text of ['ln -sfn', 'TRUSTED_PROXIES', 'MEMBRIDGE_AGENT_HOST', 'service systemd', '--write'])
    expect(steps).toContain(text)
  await expectAccessible()
  await screen.press(ui('close'))
  await expect.element(screen.dialog.getByRole('alert')).toHaveTextContent(t('notCopied'))
  await screen.press(t('copyText'))
  expect(written).toEqual([CONFIG])
  await screen.press(t('done'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
  expect(document.body.textContent).not.toContain(SECRET)
  // Between the others, and yet not kept waiting to be asked for.
  await expect.element(screen.row('barn-pi')).toBeVisible()
  await screen.getByRole('button', { name: t('add') }).click()
  await expect.element(screen.dialog.getByLabelText(t('node'), { exact: false })).toHaveValue('')
})

it.each([
  ['folder', 'machine', 'stepFolder'],
  ['s3', 'machine', 'storeHere'],
  ['s3', 'machine', 'serverHere'],
  ['s3', 'clear', 'serverClear'],
] as const)('says what stands in the way of nodes elsewhere: %s, %s, %s', async (store, reach, text) => {
  const ledger = fleet([])
  Object.assign(ledger.state, { store, reach })
  const screen = await open(ledger)
  await screen.getByRole('button', { name: t('add') }).click()
  await screen.dialog.getByLabelText(t('node'), { exact: false }).fill('x')
  await screen.press(t('add'))
  await expect.element(screen.dialog.getByText(t(text, { url: 'http://plane.example:8000' }))).toBeVisible()
})

it('says at the form what is wrong, and keeps what was typed', async () => {
  const ledger = fleet([])
  ledger.state.refuse = ['LIMIT_EXCEEDED', 'Two already.']
  const screen = await open(ledger)
  await expect.element(screen.getByText(t('emptyHint'))).toBeVisible()
  await screen.getByRole('button', { name: t('add') }).click()
  const field = screen.dialog.getByLabelText(t('node'), { exact: false })
  await field.fill('attic-pi')
  await screen.press(t('add'))
  await expect.element(screen.dialog.getByRole('alert')).toHaveTextContent(t('twoAlready'))
  await expect.element(field).toHaveValue('attic-pi')
})

it('shows at its field why an address is refused', async () => {
  const ledger = fleet(MANY())
  const reason = 'address_in_clear'
  ledger.state.refuse = ['VALIDATION_FAILED', 'Invalid.', [{ field: 'url', message: 'Plain HTTP.', reason }]]
  const screen = await open(ledger)
  await screen.act('cellar', t('register'))
  await screen.dialog.getByLabelText(t('url'), { exact: false }).fill('http://cellar:8001')
  await screen.press(t('register'))
  await expect.element(screen.dialog.getByText(textsOf('errors')(reason))).toBeVisible()
})

it('registers, removes, rotates and revokes from the row', async () => {
  const screen = await open()
  await expect.element(screen.row('cellar')).toBeVisible()
  await screen.act('cellar', t('register'))
  await screen.dialog.getByLabelText(t('url'), { exact: false }).fill('https://cellar:8001')
  await screen.press(t('register'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
  await screen.act('attic-pi', t('unregister'))
  await screen.press(t('unregister'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
  await screen.act('attic-pi', t('revoke'))
  await screen.press(t('revoke'))
  await expect.element(screen.dialog).not.toBeInTheDocument()
  await screen.act('attic-pi', t('rotate'))
  await screen.press(textsOf('keys')('rotate'))
  await expect.element(screen.dialog.getByText('gbk_the-successor')).toBeVisible()
  const key_id = '5f0c2a1e8d4b4c9a'
  expect(screen.asked).toEqual([
    ['register', { node_id: 'cellar', url: 'https://cellar:8001' }],
    ['unregister', { node_id: 'attic-pi' }],
    ['revoke', { key_id }],
    ['rotate', { key_id, expires_in_days: 365, previous_ends_in_hours: 24 }],
  ])
})

it('starts a push or a pull with a reason, and shows how it ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const ledger = fleet(MANY())
  const screen = await renderInConsole(<NodePage id="attic-pi" />, {
    ...{ procedures: ledger.procedures, role: 'operator', at: '/nodes/attic-pi' },
  })
  const project = 'garden-seedling'
  await screen.getByRole('button', { name: t('syncOf.pull', { project }) }).click()
  const dialog = screen.getByRole('dialog')
  const pull = dialog.getByRole('button', { name: t('syncNow.pull'), exact: true })
  await expect.element(pull).toHaveAttribute('aria-disabled', 'true')
  expect(getComputedStyle(dialog.element()).textAlign).toBe('left')
  await expectAccessible()
  await dialog.getByRole('textbox').fill('The board was replaced')
  // A heartbeat changes the row below; the dialog that was opened from it stays the one it was.
  const opened = dialog.element()
  Object.assign(ledger.nodes[0] as object, { agent_version: '1.5.0', last_seen: before(-1) })
  await vi.advanceTimersByTimeAsync(15_500)
  await expect.element(screen.getByText('1.5.0')).toBeInTheDocument()
  expect(dialog.element()).toBe(opened)
  ledger.state.refuse = ['NODE_NOT_CALLABLE', 'It has no key.']
  await pull.click()
  await expect.element(dialog.getByText('It has no key.')).toBeVisible()
  ledger.state.refuse = null
  await pull.click()
  await expect.element(dialog).not.toBeInTheDocument()
  const asked = { action: 'pull', project, agent: 'attic-pi', reason: 'The board was replaced' }
  expect(ledger.asked.at(-1)).toEqual(['sync', asked])
  const syncs = screen.getByRole('table', { name: t('syncs') })
  await expect.element(syncs.getByText(t('syncState.pending'))).toBeVisible()
  Object.assign(ledger.syncs[0] as object, { status: 'failed', detail: 'local ahead' })
  await vi.advanceTimersByTimeAsync(2_500)
  await expect.element(syncs.getByText('local ahead')).toBeVisible()
})

it('shows operators the nodes, and no way to change them', async () => {
  const screen = await open(fleet(MANY()), 'operator')
  await expect.element(screen.row('attic-pi')).toBeVisible()
  expect(screen.getByRole('button', { name: t('add') }).query()).toBeNull()
  expect(screen.getByRole('button', { name: t('actionsOf', { node: 'attic-pi' }) }).query()).toBeNull()
})

it.each([1280, 390])(
  'shows one node with its projects, syncs and the way out of the admin key, %i wide',
  async (width) => {
    await page.viewport(width, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const sync: NodeSync = {
      sync_id: 'aaaaaaaaaaaaaaaa',
      action: 'push',
      status: 'error',
      project: 'garden-seedling',
      ...{
        detail: 'The node did not answer.',
        requested_by: 'owner',
        created_at: before(3),
        finished_at: before(1),
      },
    }
    const { procedures } = fleet(MANY(), [sync])
    const screen = await renderInConsole(<NodePage id="cellar" />, { procedures, at: '/nodes/cellar' })
    await expect.element(screen.getByRole('heading', { level: 1, name: 'cellar' })).toBeVisible()
    await expect.element(screen.getByText(t('adminKeyHint'))).toBeVisible()
    await expect.element(screen.getByText('The node did not answer.')).toBeVisible()
    const push = screen.getByRole('button', { name: t('syncOf.push', { project: 'garden-seedling' }) })
    await expect.element(push).toHaveAttribute('aria-description', t('needsAgent'))
    expect(textOf(screen.getByRole('table', { name: t('projects') }))).toContain(t('roles.primary'))
    await screen.getByRole('button', { name: t('newKey') }).click()
    const field = screen.getByRole('dialog').getByLabelText(t('node'), { exact: false })
    await expect.element(field).toHaveValue('cellar')
    await expect.element(field).toBeDisabled()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
    await expectAccessible()
  },
)

it('shows the text of a node’s own key until it is closed, though the node then lacks none', async () => {
  const { procedures } = fleet(MANY())
  const screen = await renderInConsole(<NodePage id="cellar" />, { procedures, at: '/nodes/cellar' })
  await screen.getByRole('button', { name: t('newKey') }).click()
  const dialog = screen.getByRole('dialog')
  await dialog.getByRole('button', { name: t('newKey'), exact: true }).click()
  // The page behind has been read again, and knows of the key.
  await expect.element(screen.getByText(t('adminKeyHint'))).not.toBeInTheDocument()
  await expect.element(dialog.getByText(SECRET, { exact: false })).toBeVisible()
  const done = dialog.getByRole('button', { name: t('done') })
  await done.click()
  await expect.element(dialog.getByRole('alert')).toHaveTextContent(t('notCopied'))
  await done.click()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(screen.getByRole('button', { name: t('newKey') })).not.toBeInTheDocument()
})
