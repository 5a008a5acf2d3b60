/** What needs a person, over a real ledger and garden; rows of other machines are written as the superuser, past the triggers. */
import { randomUUID } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { needsAnswer } from '#contracts/needs.contract.ts'
import { addAgent, addJob } from '#server/jobs/testing/queue-room.ts'
import { type Db, openDatabase } from '#server/ledger/database.ts'
import { noteOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { listNeeds } from './list-needs.query.ts'

let kit: NewKit
let admin: ReturnType<typeof openDatabase>
beforeAll(async () => {
  kit = await newKit()
  admin = openDatabase(kit.urls.adminUrl, { connections: 1 })
})
afterAll(async () => {
  await admin?.close()
  await kit?.end()
})

const past = (...statements: Sql[]) =>
  admin.transaction(async (tx: Db) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    for (const statement of statements) await tx.query(statement)
  })
const needsOf = async (role: 'owner' | 'operator') => {
  const answer = needsAnswer.parse(await listNeeds(kit.services, { role }))
  return { ...answer, kinds: answer.items.map(({ kind }) => kind) }
}

it('is empty while nothing waits', async () => {
  expect(await needsOf('owner')).toEqual({ items: [], kinds: [], count: 0, more_proposals: 0, digest: null })
})

it('lists each kind while its cause is there, the most urgent first, for whoever may act', async () => {
  const proposals = []
  for (let n = 0; n < 10; n++) proposals.push(await propose(kit, noteOf(`Ideas/${n}.md`, `# ${n}\n`)))
  const [soon, failed, byMachinery] = proposals.map(({ proposal_id }) => proposal_id)
  const job = await addJob(kit.db, { agent: await addAgent(kit.worker.db, 'scout') })
  await past(
    sql`UPDATE proposal SET expires_at = clock_timestamp() + interval '2 hours', review_class = 0 WHERE proposal_id = ${soon}`,
    sql`UPDATE proposal SET status = 'FAILED', error = '{"code":"conflict","message":"x"}' WHERE proposal_id = ${failed}`,
    sql`UPDATE proposal SET status = 'FAILED', error = '{"code":"timeout","message":"x"}' WHERE proposal_id = ${byMachinery}`,
    sql`UPDATE agent SET status = 'error', error = '{"code":"INTERNAL","message":"It broke.","run_ids":[]}'`,
    sql`INSERT INTO component_health (component, status, latency_ms, message, checked_at) VALUES
      ('nlm_backend', 'unavailable', 1, 'no answer', clock_timestamp()),
      ('git_garden', 'degraded', 1, 'long ago', clock_timestamp() - interval '2 minutes')`,
    sql`INSERT INTO membridge_project (canonical_id, name, source, registered_by) VALUES ('cid', 'memory', 'heartbeat', 'x')`,
    sql`INSERT INTO membridge_lease (canonical_id, lease_state, nonce, observed_at) VALUES ('cid', 'unreadable', 'n', clock_timestamp())`,
    ...[
      ['StorageFull', 'storage_used'],
      ['DeadJobs', 'dead_jobs'],
      ['AgentFailing', 'agent_failures'],
    ].map(
      ([
        rule,
        condition,
      ]) => sql`INSERT INTO alert (alert_id, status, rule, resource, severity, condition, value, read_at, opened_at)
        VALUES (${`alert-${randomUUID()}`}, 'open', ${rule}, 'disk', 'warning', ${condition}, 0.9, clock_timestamp(), clock_timestamp() - interval '1 hour')`,
    ),
    sql`UPDATE job SET status = 'DEAD', failure_kind = 'exhausted', error = '{"code":"NLM_UNAVAILABLE","phase":"NOTEBOOKLM_CALL"}', finished_at = clock_timestamp() - interval '2 hours'`,
  )
  const owner = await needsOf('owner')
  expect(owner.kinds.slice(0, 1)).toEqual(['proposal'])
  expect(owner.items[0]).toMatchObject({ proposal: { proposal_id: soon } })
  expect(owner.kinds.slice(1, 8).toSorted()).toEqual(
    ['agent', 'alert', 'component', 'dead_jobs', 'failed_proposal', 'failed_proposal', 'project'].toSorted(),
  )
  expect(owner.kinds.indexOf('alert')).toBeLessThan(owner.kinds.indexOf('dead_jobs'))
  expect(owner.kinds.slice(8)).toEqual(Array(7).fill('proposal'))
  expect(owner.count).toBe(8 + 7)
  expect(owner.items.find(({ kind }) => kind === 'dead_jobs')).toMatchObject({
    count: 1,
    exact: true,
    newest: { job_id: job, code: 'NLM_UNAVAILABLE' },
  })
  const operator = await needsOf('operator')
  // Who can't recover an agent is told by its alert.
  expect(operator.kinds.toSorted()).toEqual(
    ['alert', 'alert', 'component', 'dead_jobs', 'failed_proposal', 'project'].toSorted(),
  )
  expect(operator.items.find(({ kind }) => kind === 'failed_proposal')).toMatchObject({
    proposal: { proposal_id: byMachinery },
  })

  await kit.db.query(sql`INSERT INTO job_failure_resolution (code, phase, through, resolved_by, reason)
    VALUES ('NLM_UNAVAILABLE', 'NOTEBOOKLM_CALL', clock_timestamp(), 'owner', 'The backend is back.')`)
  expect((await needsOf('operator')).kinds).not.toContain('dead_jobs')

  await past(
    sql`UPDATE agent SET status = 'active', error = NULL`,
    sql`UPDATE component_health SET status = 'healthy'`,
    sql`UPDATE membridge_lease SET lease_state = 'absent'`,
    sql`DELETE FROM alert`,
    sql`DELETE FROM job`,
    sql`DELETE FROM proposal WHERE status = 'FAILED'`,
  )
  expect((await needsOf('operator')).items).toEqual([])
  expect((await needsOf('owner')).kinds).toEqual(Array(8).fill('proposal'))
})

it('lists open questions to the owner, the next to expire first, until they are answered', async () => {
  const question = (id: string, hours: number) => sql`INSERT INTO run_question
      (question_id, status, run_id, agent_slug, call_index, text, expires_at)
    VALUES (${id}, 'open', 'run_1', 'scout', ${hours}, 'Which bed?', clock_timestamp() + make_interval(hours => ${hours}))`
  const [later, soon] = [randomUUID(), randomUUID()]
  const run = sql`INSERT INTO run (run_id, agent_slug, requested_by) VALUES ('run_1', 'scout', 'owner')`
  await past(run, question(later, 72), question(soon, 1))
  const owner = await needsOf('owner')
  expect(owner.items[0]).toMatchObject({ kind: 'question', question: { question_id: soon } })
  expect(owner.items.filter(({ kind }) => kind === 'question')).toHaveLength(2)
  expect(owner.count).toBe(8 + 2)
  expect(await needsOf('operator')).toMatchObject({ items: [], count: 0 })
  await past(sql`UPDATE run_question SET status = 'withdrawn'`)
  expect((await needsOf('owner')).count).toBe(8)
})

it('says how many proposals it does not list', async () => {
  for (let n = 0; n < 3; n++) await propose(kit, noteOf(`More/${n}.md`, `# ${n}\n`))
  expect(await needsOf('owner')).toMatchObject({
    count: 11,
    more_proposals: 3,
    kinds: Array(8).fill('proposal'),
  })
})
