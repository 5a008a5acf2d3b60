import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { aChange, aNode, aProject, aSummary, CID, leadershipLedger } from '../testing/leadership.ts'
import { LeadershipPage } from './leadership-page.tsx'
import { ProjectPage } from './project-page.tsx'

const t = textsOf('leadership')
const open = (ledger: ReturnType<typeof leadershipLedger>, role: 'owner' | 'operator' = 'operator') =>
  renderInConsole(<ProjectPage cid={CID} />, { ...ledger, role, at: `/leadership/${CID}` })

describe('the list', () => {
  it.each([
    ['a desk', 1280],
    ['a phone', 390],
  ])('tells who leads, for how long, and what needs somebody, on %s', async (_, width) => {
    await page.viewport(width, 844)
    onTestFinished(() => page.viewport(1280, 800))
    const rows = [
      aSummary(),
      aSummary({
        canonical_id: 'b',
        name: 'mem',
        lease_state: 'unreadable',
        primary_node_id: null,
        fault: 'cut off',
      }),
      aSummary({
        canonical_id: 'c',
        name: 'attic',
        lease_state: 'expired',
        ttl_seconds: 0,
        needs_ui_selection: true,
        primary_online: false,
      }),
      aSummary({
        canonical_id: 'd',
        name: 'new',
        lease_state: null,
        primary_node_id: null,
        epoch: null,
        term: null,
        seen_at: null,
      }),
    ]
    const screen = await renderInConsole(<LeadershipPage />, {
      ...leadershipLedger({ rows }),
      at: '/leadership',
    })
    await expect.element(screen.getByText(t('sentence', { projects: 4, attention: 2 }))).toBeVisible()
    const row = (name: string) => screen.getByRole('row').filter({ hasText: name }).first()
    const seen = (name: string) => (row(name).element() as HTMLElement).innerText
    expect(seen('garden-seedling')).toMatch(/alder[\s\S]*Valid[\s\S]*42 m/)
    expect(seen('mem')).toContain(t('leaseState.unreadable'))
    expect(seen('attic')).toContain(t('needsSelection'))
    expect(screen.getByText(t('notChecked')).query()).not.toBeNull()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
    await expectAccessible()
  })

  it('gives no total while more projects can be loaded', async () => {
    const screen = await renderInConsole(<LeadershipPage />, {
      ...leadershipLedger({ more: true }),
      at: '/leadership',
    })
    await expect.element(screen.getByText('garden-seedling')).toBeVisible()
    await expect.element(screen.getByText(t('loading'))).toBeVisible()
  })

  it('says what belongs here when no project has reported', async () => {
    const screen = await renderInConsole(<LeadershipPage />, {
      ...leadershipLedger({ rows: [] }),
      at: '/leadership',
    })
    await expect.element(screen.getByText(t('empty'))).toBeVisible()
  })
})

describe('a project', () => {
  it('shows lease, push and every node against it, and its history', async () => {
    const nodes = [
      aNode('alder', { obs_count: 112 }),
      aNode('birch', { obs_count: 70 }),
      aNode('cedar', { obs_count: null, online: false }),
    ]
    const screen = await open(
      leadershipLedger({
        project: aProject({ nodes }),
        changes: [aChange(1), aChange(2, { name: 'leadership.refused', error_code: 'EPOCH_STALE' })],
      }),
    )
    for (const text of [
      t('aheadBy', { count: 12 }),
      t('behindBy', { count: 30 }),
      t('noCount'),
      t('keptText', { count: 3 }),
      t('changeEvent.refused'),
    ])
      await expect.element(screen.getByText(text).first()).toBeVisible()
    await expectAccessible()
  })

  it('lets the lease run out before it hears of it, and never below zero', async () => {
    const screen = await open(leadershipLedger({ project: aProject({ ttl_seconds: 1.2 }) }))
    await expect.element(screen.getByText(t('leaseState.expired')).first()).toBeVisible()
    expect(document.body.innerText).not.toMatch(/-\d+ s/)
  })

  it('has an unreadable lease as an error with its way out, beside the nodes', async () => {
    const broken = aProject({
      lease_state: 'unreadable',
      fault: 'lease.json: not JSON',
      primary_node_id: null,
      epoch: null,
      term: null,
      ttl_seconds: null,
      issued_by: null,
    })
    const screen = await open(leadershipLedger({ project: broken }))
    await expect.element(screen.getByRole('alert').getByText('lease.json: not JSON')).toBeVisible()
    await expect
      .element(screen.getByRole('button', { name: t('promoteNode', { node: 'birch' }) }))
      .toBeVisible()
    await screen.getByRole('button', { name: t('replaceLease') }).click()
    await expect.element(screen.getByRole('dialog')).toBeVisible()
  })

  it('refuses promotion on a store that is not fit, with its sentence', async () => {
    const refusal = 'The object store does not keep conditional writes: stale replace.'
    const screen = await open(leadershipLedger({ project: aProject({ store_refusal: refusal }) }))
    await expect.element(screen.getByRole('alert').getByText(refusal)).toBeVisible()
    const promote = screen.getByRole('button', { name: t('promoteNode', { node: 'birch' }) })
    await expect.element(promote).toHaveAttribute('aria-disabled', 'true')
    await expect.element(promote).toHaveAttribute('aria-description', t('storeRefusal'))
  })

  it('offers overrides to the owner alone', async () => {
    const owner = await open(leadershipLedger(), 'owner')
    await expect.element(owner.getByRole('button', { name: t('grant') })).toBeVisible()
    await owner.unmount()
    const operator = await open(leadershipLedger(), 'operator')
    await expect.element(operator.getByText(t('nodes')).first()).toBeVisible()
    expect(operator.getByRole('button', { name: t('grant') }).query()).toBeNull()
  })
})

it('asks which override a node is given, and for how long', async () => {
  const screen = await open(leadershipLedger(), 'owner')
  await screen.getByRole('button', { name: t('grant') }).click()
  await expect.element(screen.getByRole('dialog').getByText(t('grantHint'))).toBeVisible()
})
