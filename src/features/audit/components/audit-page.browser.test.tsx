import { expect, it, onTestFinished, vi } from 'vitest'
import { type AuditEventView, auditPage, auditVerifications } from '#contracts/audit.contract.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { AuditPage } from './audit-page.tsx'

const ui = textsOf('ui')
const live = textsOf('live')

const anEvent = (n: number): AuditEventView => ({
  ...{ seq: n, event_id: `evt_${n}`, ts: '2026-03-02T09:00:00.000Z', event: `zone.number_${n}` },
  ...{ actor: 'owner', actor_role: 'owner', via: 'console', resource: { type: 'zone', id: '1' } },
  ...{ transition: null, from: null, to: null, reason: null, outcome: 'ok', error_code: null },
  ...{ node: 'n', correlation_id: null, refs: {}, details: {}, hash: null },
})

/** The audit with one event; `add` records the next. */
async function open() {
  const events = [anEvent(1)]
  const audit = router({
    list: query(auditPage, () => ({
      ...{ items: events, next_cursor: null, searched_to: null },
      chain: { sealed: events.length, waiting: 0, head: 'h' },
    })),
    verification: query(auditVerifications, () => ({ newest: null })),
  })
  const screen = await renderInConsole(<AuditPage />, { procedures: { audit }, at: '/audit' })
  await expect.element(screen.getByText('zone.number_1')).toBeVisible()
  await expect.element(screen.getByText(live('live'), { exact: true })).toBeVisible()
  const add = () => void events.unshift(anEvent(events.length + 1))
  const waiting = (count: number) => screen.getByRole('button', { name: ui('showNew', { count }) })
  return { ...screen, add, waiting }
}

const TOPICS = [
  ...['agent.status.changed', 'artifact.created', 'governance.changed', 'key.changed', 'leadership.changed'],
  ...['proposal.created', 'task.status.changed', 'worker.status.changed', 'zone.changed'],
]

it('reads again on whatever the stream says', async () => {
  const { network, add, waiting } = await open()
  for (const [n, topic] of TOPICS.entries()) {
    add()
    network.publish({ id: String(n + 1), topic, resource: { type: 'zone', id: '1' } })
    await expect.element(waiting(n + 1), { message: topic }).toBeVisible()
  }
})

it('reads again by itself what the stream does not say', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { add, waiting } = await open()
  add()
  await vi.advanceTimersByTimeAsync(30_500)
  await expect.element(waiting(1)).toBeVisible()
})
