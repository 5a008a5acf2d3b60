import { randomUUID } from 'node:crypto'
import sql, { raw, type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY } from '#domain/authority/caller.ts'
import { type JobEvent, type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { can, edges } from '#domain/kernel/machine.ts'
import { LEDGER_MACHINES } from '#domain/machines.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, type Db, openDatabase } from './database.ts'
import { transitionStatement } from './transition.ts'

let test: TestDatabase
let database: Database
beforeAll(async () => {
  test = await createTestDatabase()
  database = openDatabase(test.adminUrl)
})
afterAll(async () => {
  await database?.close()
  await test?.drop()
})

const machines = Object.entries(LEDGER_MACHINES) as [
  string,
  { states: readonly string[]; events: Record<string, { from: readonly string[] | null; to: string }> },
][]

describe.each(machines)('the ledger guards %s', (name, machine) => {
  it('by the edges of the table, no more and no fewer', async () => {
    const { rows } = await database.query<{ event: string; from_status: string; to_status: string }>(
      sql`SELECT event, from_status, to_status FROM state_edge WHERE machine = ${name}`,
    )
    const stored = rows.map((r) => `${r.event}: ${r.from_status} → ${r.to_status}`).sort()
    const declared = edges(machine as never)
      .map((e: { event: string; from: string | null; to: string }) => `${e.event}: ${e.from ?? ''} → ${e.to}`)
      .sort()
    expect(stored).toEqual(declared)
  })

  it('with a trigger on inserts and updates that is switched on', async () => {
    const { rows } = await database.query<{ on_insert: boolean; on_update: boolean }>(
      sql`SELECT bool_or((tgtype & 4) <> 0) AS on_insert, bool_or((tgtype & 16) <> 0) AS on_update FROM pg_trigger
      WHERE tgrelid = ${name}::regclass AND tgfoid = 'guard_status'::regproc AND tgenabled = 'O' AND (tgtype & 2) <> 0`,
    )
    expect(rows).toEqual([{ on_insert: true, on_update: true }])
  })

  it('so that of all pairs of states exactly the legal ones pass', async () => {
    await database.transaction(async (tx) => {
      const probe = raw(`probe_${name}.${name}`)
      await tx.query(sql`CREATE SCHEMA ${raw(`probe_${name}`)}`)
      await tx.query(sql`CREATE TABLE ${probe} (status text)`)
      await tx.query(
        sql`CREATE TRIGGER guard BEFORE INSERT OR UPDATE OF status ON ${probe} FOR EACH ROW EXECUTE FUNCTION guard_status()`,
      )
      const legal = new Set(
        edges(machine as never).map((e: { from: string | null; to: string }) => `${e.from} ${e.to}`),
      )
      for (const from of [null, ...machine.states]) {
        for (const to of machine.states) {
          const passed = await attempt(tx, probe, from, to)
          expect(`${from} → ${to}: ${passed}`).toBe(
            `${from} → ${to}: ${from === to || legal.has(`${from} ${to}`)}`,
          )
        }
      }
    })
  })
})

/** Tries one edge on the probe table and takes everything back. */
async function attempt(tx: Db, probe: Sql, from: string | null, to: string): Promise<boolean> {
  await tx.query(sql`SAVEPOINT one`)
  try {
    if (from === null) await tx.query(sql`INSERT INTO ${probe} VALUES (${to})`)
    else {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      await tx.query(sql`INSERT INTO ${probe} VALUES (${from})`)
      await tx.query(sql`SET LOCAL session_replication_role = origin`)
      await tx.query(sql`UPDATE ${probe} SET status = ${to}`)
    }
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: '23514' })
    return false
  } finally {
    await tx.query(sql`ROLLBACK TO SAVEPOINT one`)
    await tx.query(sql`RESET session_replication_role`)
  }
}

describe('all 81 pairs of job states', () => {
  const { states } = jobMachine
  /** What a row must carry in each state, so that nothing but the edge can refuse it. */
  const carried = (to: JobState): Sql =>
    sql`fence = fence + 1, requeued_by = 'owner', requeue_count = requeue_count + 1,
      lease_expires_at = ${['CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE'].includes(to) ? sql`now()` : sql`NULL`},
      not_before = ${to === 'RETRY_BACKOFF' ? sql`now()` : sql`NULL`},
      failure_kind = ${to === 'FAILED' || to === 'DEAD' ? sql`coalesce(failure_kind, 'operator')` : sql`NULL`},
      artifact_id = ${to === 'COMPLETE' ? sql`reserved_artifact_id` : sql`NULL`}`

  async function withJobIn(from: JobState, work: (tx: Db, id: string) => Promise<void>): Promise<void> {
    const id = randomUUID()
    const undo = new Error('undo')
    const done = database.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      await tx.query(sql`INSERT INTO job (job_id, job_type, agent_slug, requested_by, payload, payload_digest, reserved_artifact_id)
        VALUES (${id}, 'RESEARCH', ${id}, 'owner', '{}', 'd', ${`art-${id}`})`)
      await tx.query(sql`UPDATE job SET status = ${from}, ${carried(from)} WHERE job_id = ${id}`)
      await tx.query(sql`SET LOCAL session_replication_role = origin`)
      await work(tx, id)
      throw undo
    })
    await expect(done).rejects.toBe(undo)
  }

  const legal = (from: JobState, to: JobState) =>
    edges(jobMachine).some((edge) => edge.from === from && edge.to === to)

  it.each(states)('from %s by direct SQL', async (from) => {
    for (const to of states) {
      await withJobIn(from, async (tx, id) => {
        await tx.query(sql`SAVEPOINT one`)
        const passed = await tx
          .query(sql`UPDATE job SET status = ${to}, ${carried(to)} WHERE job_id = ${id}`)
          .then(
            () => true,
            () => false,
          )
        await tx.query(sql`ROLLBACK TO SAVEPOINT one`)
        expect(`${from} → ${to}: ${passed}`).toBe(`${from} → ${to}: ${from === to || legal(from, to)}`)
      })
    }
  })

  it.each(states)('begun as %s by direct SQL', async (status) => {
    const id = randomUUID()
    const begun = database.transaction(async (tx) => {
      await tx.query(sql`INSERT INTO job (job_id, status, job_type, agent_slug, requested_by, payload, payload_digest, reserved_artifact_id,
          lease_expires_at, not_before, failure_kind, artifact_id)
        VALUES (${id}, ${status}, 'RESEARCH', ${id}, 'owner', '{}', 'd', ${`art-${id}`}, now(), now(),
          ${status === 'FAILED' || status === 'DEAD' ? 'operator' : null}, ${status === 'COMPLETE' ? `art-${id}` : null})`)
      throw new Error('undo')
    })
    await expect(begun).rejects.toMatchObject(
      status === 'PENDING' ? { message: 'undo' } : { code: '23514', constraint: 'job_edge' },
    )
  })

  it.each(states)('from %s by code: each event moves exactly where the table says', async (from) => {
    const events = (Object.keys(jobMachine.events) as JobEvent[]).filter((e) => jobMachine.events[e].from)
    for (const event of events) {
      const { to } = jobMachine.events[event]
      await withJobIn(from, async (tx, id) => {
        const { rows } = await tx.query(
          transitionStatement({
            machine: 'job',
            event,
            actor: GATEWAY,
            where: sql`o.job_id = ${id}`,
            set: sql`fence = t.fence + 1, requeued_by = 'owner', requeue_count = t.requeue_count + 1, lease_expires_at = now(), not_before = now(),
              failure_kind = ${to === 'FAILED' || to === 'DEAD' ? 'operator' : null}, artifact_id = ${to === 'COMPLETE' ? `art-${id}` : null}`,
          }),
        )
        const expected = can(jobMachine, from, event)
        expect(`${from} ${event}: ${rows.map((r) => r.status)}`).toBe(
          `${from} ${event}: ${expected ? to : ''}`,
        )
        const declared = await tx.query(sql`SELECT 1 FROM event WHERE resource_id = ${id}`)
        expect(declared.rows).toHaveLength(expected ? 1 : 0)
      })
    }
  })

  it('lets neither fence, payload nor artifact id be changed in any state, nor a payload grow beyond 90 KB', async () => {
    const changes: [Sql, string][] = [
      [sql`fence = fence - 1`, 'job_fence'],
      [sql`payload_digest = 'e'`, 'job_payload_frozen'],
      [sql`reserved_artifact_id = 'another'`, 'job_payload_frozen'],
      [sql`payload = jsonb_build_object('query', repeat('x', 92160))`, 'job_payload_check'],
    ]
    for (const state of states)
      for (const [change, constraint] of changes)
        await withJobIn(state, async (tx, id) => {
          const changed = tx.query(sql`UPDATE job SET ${change} WHERE job_id = ${id}`)
          await expect(changed).rejects.toMatchObject({ code: '23514', constraint })
        })
    const large =
      database.query(sql`INSERT INTO job (job_id, job_type, agent_slug, requested_by, payload, payload_digest, reserved_artifact_id)
      VALUES (${randomUUID()}, 'RESEARCH', 'a', 'owner', jsonb_build_object('query', repeat('x', 92160)), 'd', 'art-large')`)
    await expect(large).rejects.toMatchObject({ code: '23514', constraint: 'job_payload_check' })
  })

  it('lets nobody out of DEAD who is not named, and never out of COMPLETE', async () => {
    await withJobIn('DEAD', async (tx, id) => {
      const nameless = tx.query(
        sql`UPDATE job SET status = 'QUEUED', failure_kind = NULL, requeued_by = NULL WHERE job_id = ${id}`,
      )
      await expect(nameless).rejects.toMatchObject({ code: '23514' })
    })
    expect(edges(jobMachine).filter((e) => e.from === 'COMPLETE')).toEqual([])
  })
})
