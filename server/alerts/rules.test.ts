/** Every rule forced in a real ledger: it opens its alert once, leaves it while it holds, and closes it by itself. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RULE_NAMES } from '#domain/alert/conditions.ts'
import { acknowledgeAlert } from './acknowledge-alert.ts'
import { type AlertKit, alertKit, DAY } from './testing/alert-kit.ts'
import { failedJobs } from './testing/forced.ts'
import { FORCED_LEADERSHIP } from './testing/forced-leadership.ts'
import { FORCED_RUNTIME } from './testing/forced-runtime.ts'
import { FORCED_SYSTEM, REMOTE } from './testing/forced-system.ts'
import { FORCED_WORK } from './testing/forced-work.ts'

const RULES = [...FORCED_WORK, ...FORCED_SYSTEM, ...FORCED_LEADERSHIP, ...FORCED_RUNTIME]
let kit: AlertKit
beforeAll(async () => {
  kit = await alertKit({ GARDEN_REMOTE: REMOTE })
})
afterAll(() => kit?.close())

const eventNames = async (id: string) => {
  const { rows } = await kit.worker.query<{ name: string }>(
    sql`SELECT name FROM event WHERE resource_type = 'alert' AND resource_id = ${id} ORDER BY id`,
  )
  return rows.map(({ name }) => name)
}

it('forces every rule', () =>
  expect([...new Set(RULES.map(({ rule }) => rule))].sort()).toEqual([...RULE_NAMES].sort()))

describe.each(RULES)(
  '$rule by $condition',
  ({ rule, condition, resource, severity, value, force, between, release }) => {
    const standing = async () => (await kit.alerts(rule)).filter((alert) => alert.status !== 'closed')

    it('opens once, stays, and closes by itself', async () => {
      // Far enough from what the rule before left behind; some last for a week.
      kit.pass(8 * DAY)
      await kit.empty()
      await kit.evaluate()
      expect(await standing()).toEqual([])
      await force(kit)
      await kit.evaluate()
      const [alert, ...more] = await standing()
      expect(more).toEqual([])
      expect(alert).toMatchObject({
        status: 'open',
        rule,
        condition,
        resource,
        severity,
        opened_at: kit.now(),
      })
      if (value !== undefined) expect(alert?.value).toBeCloseTo(value, 3)
      await kit.evaluate()
      expect((await standing()).map((a) => a.alert_id)).toEqual([alert?.alert_id])
      await between?.(kit)
      await kit.evaluate()
      expect(
        (await standing()).map((a) => a.alert_id),
        'stays in between',
      ).toEqual([alert?.alert_id])
      await release(kit)
      await kit.evaluate()
      const ended = (await kit.alerts(rule)).find((a) => a.alert_id === alert?.alert_id)
      expect(ended).toMatchObject({ status: 'closed', closed_at: kit.now() })
      expect((await eventNames(alert?.alert_id ?? '')).filter((name) => name !== 'incident.opened')).toEqual([
        'incident.resolved',
      ])
    })
  },
)

it('a graver condition opens an acknowledged alert again, and a milder one leaves it grave', async () => {
  kit.pass(8 * DAY)
  await kit.empty()
  await kit.evaluate()
  await failedJobs(kit, 11, 'DEAD', 'exhausted', kit.ago(30 * DAY))
  await kit.evaluate()
  const alert = (await kit.alerts('DeadJobs')).at(-1)
  const person = { role: 'owner', identity: 'owner', via: 'console' } as const
  await acknowledgeAlert(
    { db: kit.worker },
    { alert_id: alert?.alert_id ?? '', note: 'Looking at it' },
    person,
  )
  await failedJobs(kit, 40, 'DEAD', 'exhausted', kit.ago(30 * DAY))
  await kit.evaluate()
  const grave = { alert_id: alert?.alert_id, status: 'open', severity: 'critical', value: 51, note: null }
  expect((await kit.alerts('DeadJobs')).at(-1)).toMatchObject({ ...grave, escalated_at: kit.now() })
  await kit.change(sql`DELETE FROM job WHERE job_id IN (SELECT job_id FROM job LIMIT 30)`)
  await kit.evaluate()
  expect((await kit.alerts('DeadJobs')).at(-1)).toMatchObject({ ...grave, value: 21 })
  expect(await eventNames(alert?.alert_id ?? '')).toEqual([
    'incident.opened',
    'incident.acknowledged',
    'incident.escalated',
  ])
})
