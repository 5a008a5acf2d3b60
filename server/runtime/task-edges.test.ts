import { randomUUID } from 'node:crypto'
import sql, { raw, type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { can, edges } from '#domain/kernel/machine.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import { taskLeaseMachine } from '#domain/task/task-lease.machine.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, type Db, openDatabase } from '#server/ledger/database.ts'
import { transitionStatement } from '#server/ledger/transition.ts'
import { RUNTIME } from './runtime-rows.ts'

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

const taskIn = (id: string): Sql =>
  sql`INSERT INTO llm_task (task_id, status, tenant, caller, context_id, agent_slug, prompt, timeout_sec, budget, retry_policy, allow_fallback,
      desired_format, max_attempts, payload_digest) VALUES (${id}, 'queued', 'default', 'owner', 'c', 'a', 'p', 1, '0', '{}', true, 'text', 3, 'd')`

/** What a row must carry in each state, so that nothing but the edge can refuse it. */
const MACHINES = [
  {
    name: 'llm_task',
    key: 'task_id',
    machine: taskMachine,
    rows: (id: string) => [taskIn(id)],
    carried: (_to: string): Sql => sql`retry_at = NULL`,
  },
  {
    name: 'task_lease',
    key: 'lease_id',
    machine: taskLeaseMachine,
    rows: (id: string) => [
      taskIn(id),
      sql`INSERT INTO worker_node (worker_id, name, can_run, max_concurrency, active_leases) VALUES (${id}, ${id}, true, 2, 1)`,
      sql`INSERT INTO task_lease (lease_id, status, task_id, worker_id, context_id, fence, token_hash, ttl_seconds, timeout_sec, selection, expires_at)
        VALUES (${id}, 'active', ${id}, ${id}, 'c', 1, ${Buffer.from(id)}, 30, 1, '{}', now())`,
    ],
    carried: (to: string): Sql => sql`ended_at = ${to === 'active' ? null : sql`now()`}`,
  },
] as const

describe.each(MACHINES)('all pairs of states of $name', ({ name, key, machine, rows: made, carried }) => {
  const states: readonly string[] = machine.states
  const legal = (from: string, to: string) =>
    (edges(machine as never) as { from: string | null; to: string }[]).some(
      (edge) => edge.from === from && edge.to === to,
    )

  async function withRowIn(from: string, work: (tx: Db, id: string) => Promise<void>): Promise<void> {
    const id = randomUUID()
    const undo = new Error('undo')
    const done = database.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      for (const one of made(id)) await tx.query(one)
      await tx.query(
        sql`UPDATE ${raw(name)} SET status = ${from}, ${carried(from)} WHERE ${raw(key)} = ${id}`,
      )
      await tx.query(sql`SET LOCAL session_replication_role = origin`)
      await work(tx, id)
      throw undo
    })
    await expect(done).rejects.toBe(undo)
  }

  it.each(states)('from %s by direct SQL', async (from) => {
    for (const to of states)
      await withRowIn(from, async (tx, id) => {
        await tx.query(sql`SAVEPOINT one`)
        const passed = await tx
          .query(sql`UPDATE ${raw(name)} SET status = ${to}, ${carried(to)} WHERE ${raw(key)} = ${id}`)
          .then(
            () => true,
            () => false,
          )
        await tx.query(sql`ROLLBACK TO SAVEPOINT one`)
        expect(`${from} → ${to}: ${passed}`).toBe(`${from} → ${to}: ${from === to || legal(from, to)}`)
      })
  })

  it.each(states)('from %s by code: each event moves exactly where the table says', async (from) => {
    const moves = Object.entries(
      machine.events as Record<string, { from: readonly string[] | null; to: string }>,
    )
    for (const [event, edge] of moves) {
      if (edge.from === null) continue
      await withRowIn(from, async (tx, id) => {
        const { rows } = await tx.query<{ status: string }>(
          transitionStatement({
            machine: name,
            event: event as never,
            actor: RUNTIME,
            where: sql`o.${raw(key)} = ${id}`,
            set: carried(edge.to),
          }),
        )
        const expected = can(machine as never, from as never, event as never)
        expect(`${from} ${event}: ${rows.map((moved) => moved.status)}`).toBe(
          `${from} ${event}: ${expected ? edge.to : ''}`,
        )
      })
    }
  })
})
