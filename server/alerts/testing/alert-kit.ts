/** Alerts over a real ledger on a clock of the test: rows that force a rule are written as the superuser, past the triggers. */
import { randomUUID } from 'node:crypto'
import sql, { join, raw, type Sql } from 'sql-template-tag'
import { testEnv } from '#server/http/testing/gateway.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { type Db, openDatabase } from '#server/ledger/database.ts'
import type { Column, Row, Table } from '#server/ledger/rows.ts'
import { evaluateAlerts } from '../evaluate-alerts.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

type Values<T extends Table> = Partial<Record<Column<T>, unknown>>
export type AlertKit = Awaited<ReturnType<typeof alertKit>>

export async function alertKit(env: Record<string, string> = {}) {
  const test = await createTestDatabase()
  const admin = openDatabase(test.adminUrl, { connections: 1 })
  const worker = openDatabase(test.workerUrl, { connections: 4 })
  const parts = { db: worker, env: testEnv(test.workerUrl, env) }
  const disk = { share: 0.1 }
  let now = new Date()

  const past = <T>(work: (tx: Db) => Promise<T>) =>
    admin.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      return work(tx)
    })
  const add = <T extends Table>(table: T, ...rows: Values<T>[]) =>
    past(async (tx) => {
      for (const row of rows) await tx.query(insert(table, row))
    })
  return {
    test,
    worker,
    parts,
    disk,
    now: () => now,
    /** A moment before the clock of the test. */
    ago: (ms: number) => new Date(now.getTime() - ms),
    pass: (ms: number) => {
      now = new Date(now.getTime() + ms)
    },
    add,
    change: (statement: Sql) => past((tx) => tx.query(statement)),
    /** Everything that a rule speaks of; the alerts themselves stay. */
    empty: () =>
      past(async (tx) => {
        for (const table of SUBJECTS) await tx.query(sql`DELETE FROM ${raw(table)}`)
      }),
    job: (row: Values<'job'>) =>
      add('job', {
        ...{ job_id: randomUUID(), job_type: 'RESEARCH', agent_slug: 'scout', requested_by: 'owner' },
        ...{ payload: '{}', payload_digest: 'sha256:0', reserved_artifact_id: `art-${randomUUID()}` },
        ...row,
      }),
    event: (...rows: Values<'event'>[]) =>
      add('event', ...rows.map((row) => ({ ...EVENT, ts: now, ...row }))),
    evaluate: () => evaluateAlerts({ ...parts, usedShare: async () => disk.share }, now),
    alerts: async (rule: string) => {
      const { rows } = await worker.query<Row<'alert'>>(
        sql`SELECT * FROM alert WHERE rule = ${rule} ORDER BY opened_at, alert_id`,
      )
      return rows
    },
    close: async () => {
      await Promise.all([admin.close(), worker.close()])
      await test.drop()
    },
  }
}

const SUBJECTS = [
  ...['job', 'run', 'agent', 'artifact', 'proposal', 'event', 'event_seal', 'worker_process'],
  ...['component_health', 'audit_verification', 'membridge_lease'],
  ...['llm_task', 'task_lease', 'worker_breaker', 'worker_node'],
]

const EVENT = { actor: 'owner', actor_role: 'owner', resource_type: 'test', resource_id: 'it', body: '{}' }

const insert = (table: string, row: Record<string, unknown>): Sql =>
  sql`INSERT INTO ${raw(table)} (${join(Object.keys(row).map((name) => raw(name)))}) VALUES (${join(Object.values(row) as never[])})`
