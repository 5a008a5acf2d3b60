/** A selection that is killed between any two of its steps is ended by the scan as it was meant, and never recorded twice. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { selectPrimaryRequest } from '#contracts/leadership.contract.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { finishSelections, GIVE_UP_SECONDS } from './finish-selections.ts'
import { listNodes } from './list-nodes.query.ts'
import { promotePrimary } from './promote-primary.ts'
import { scanLeadership } from './scan-leadership.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'
import { killable } from './testing/killable.ts'
import { type LeadershipRoom, leadershipRoom, operator, partsOf } from './testing/leadership-room.ts'

let plane: TestControlPlane
beforeAll(async () => {
  plane = await testControlPlane()
})
afterAll(() => plane?.close())

const select = (cid: string) =>
  selectPrimaryRequest.parse({ cid, primary_node_id: 'birch', reason: 'alder is away', expected_epoch: 1 })

/** Under the worker's rights, as in the product. */
async function scan(room: LeadershipRoom) {
  const worker = partsOf(plane.worker, room.store)
  await plane.admin(sql`UPDATE membridge_lease SET scanned_at = NULL`)
  await finishSelections(worker)
  await scanLeadership(worker)
}

const overdue = () =>
  plane.admin(sql`UPDATE membridge_selection SET created_at = created_at - make_interval(secs => ${GIVE_UP_SECONDS})
    WHERE status = 'pending'`)

async function outcomeOf(room: LeadershipRoom, cid: string) {
  const keys = projectKeys(cid)
  const rows = await plane.admin<{ status: string }>(
    sql`SELECT status FROM membridge_selection WHERE canonical_id = ${cid} AND primary_node_id = 'birch'`,
  )
  const recorded = (await plane.events('leadership', cid)).filter(
    ({ details }) => details.primary_node_id === 'birch',
  )
  return {
    holder: (await room.json(keys.lease))?.primary_node_id,
    fence: (await room.json(keys.pointer))?.term,
    records: rows.map(({ status }) => status),
    recorded: recorded.map(({ name, actor }) => `${name} by ${actor}`),
    audits: await Promise.all(
      (await room.audits())
        .filter((key) => key.includes('-birch'))
        .map(async (key) => {
          const { actor, reason } = (await room.json(key)) ?? {}
          return `${actor}: ${reason}`
        }),
    ),
    roles: (await listNodes(plane, { cid })).map(({ node_id, role }) => `${node_id} ${role}`),
  }
}

const PROMOTED = {
  ...{ holder: 'birch', fence: 2, records: ['promoted'], audits: ['operator:ann: alder is away'] },
  recorded: ['leadership.promoted by operator:ann'],
  roles: ['alder secondary', 'birch primary'],
}

it('whatever was done before, before or after its answer', async () => {
  const ends: Record<string, number> = {}
  for (let step = 1; ; step++) {
    const cid = `killed-${step}`
    const room = await leadershipRoom(plane, cid)
    onTestFinished(room.close)
    for (const node_id of ['alder', 'birch']) await plane.beat({ node_id, canonical_id: cid })
    await room.promote({ cid, primary_node_id: 'alder' })
    const process = killable(room.parts, step)
    const ended = await process.run((parts) => promotePrimary(parts, select(cid), operator('ann')))
    await scan(room)
    const first = await outcomeOf(room, cid)
    await overdue()
    await scan(room)
    const last = await outcomeOf(room, cid)
    if (last.holder === 'birch') {
      // One scan was enough.
      expect([step, process.killedAt(), first]).toEqual([step, process.killedAt(), PROMOTED])
      expect(last).toEqual(PROMOTED)
    } else {
      expect([step, process.killedAt(), last]).toEqual([
        ...[step, process.killedAt()],
        { ...last, holder: 'alder', audits: [], roles: ['alder primary', 'birch secondary'] },
      ])
      expect(last.records).not.toContain('pending')
      expect(last.recorded).toEqual(last.records.map(() => 'leadership.refused by operator:ann'))
    }
    const kind = `${last.holder} ${first.records[0] ?? 'no record'}`
    ends[kind] = (ends[kind] ?? 0) + 1
    if (ended) break
  }
  // Killed before the record, with the record alone, and after the lease.
  expect(Object.keys(ends).toSorted()).toEqual(['alder no record', 'alder pending', 'birch promoted'])
  expect(Object.values(ends).reduce((a, b) => a + b)).toBeGreaterThan(20)
}, 120_000)
