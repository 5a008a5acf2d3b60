import sql, { type Sql } from 'sql-template-tag'
import { type Heartbeat, heartbeatRequest } from '#contracts/membridge.contract.ts'
import { CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, type Db, openDatabase } from '#server/ledger/database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { recordHeartbeat } from '../record-heartbeat.ts'

type RecordedEvent = { name: string; actor: string; details: Record<string, unknown> }

export type TestControlPlane = {
  db: Database
  worker: Database
  /** The ledger under the web process's account, and under the control plane's. */
  webUrl: string
  planeUrl: string
  /** As the web process has it. */
  web: Database
  /** Empties the tables of this room; events are counted from here on, since nobody removes one. */
  reset(): Promise<void>
  /** Under the account that may do what no process may: to set clocks and to fill tables. */
  admin<R extends object>(statement: Sql): Promise<R[]>
  /** A heartbeat as it comes over the wire. */
  beat(body: Record<string, unknown>, options?: { adminKey?: boolean; db?: Db }): Promise<void>
  /** What the audit holds of a thing, in order. */
  events(type: string, id: string): Promise<RecordedEvent[]>
  close(): Promise<void>
}

export async function testControlPlane(): Promise<TestControlPlane> {
  const ledger: TestDatabase = await createTestDatabase()
  const db = openDatabase(ledger.controlPlaneUrl)
  const worker = openDatabase(ledger.workerUrl)
  const web = openDatabase(ledger.webUrl)
  const admin: TestControlPlane['admin'] = (statement) =>
    onLedger(ledger.adminUrl, async (owner) => (await owner.query<never>(statement)).rows)
  let before = 0
  return {
    ...{ db, worker, web, admin, webUrl: ledger.webUrl, planeUrl: ledger.controlPlaneUrl },
    reset: async () => {
      await admin(sql`TRUNCATE membridge_project, membridge_agent, membridge_node, membridge_seen, membridge_sync,
        membridge_lease, membridge_selection, membridge_grant`)
      const [newest] = await admin<{ id: number }>(sql`SELECT coalesce(max(id), 0) AS id FROM event`)
      before = newest?.id ?? 0
    },
    beat: async (body, { adminKey = true, db: given } = {}) => {
      const beat: Heartbeat = heartbeatRequest.parse(body)
      await recordHeartbeat({ db: given ?? db }, { ...beat, adminKey }, CONTROL_PLANE_ADMIN)
    },
    events: async (type, id) => {
      const { rows } = await db.query<RecordedEvent>(
        sql`SELECT name, actor, details FROM event WHERE id > ${before} AND resource_type = ${type} AND resource_id = ${id} ORDER BY id`,
      )
      return rows
    },
    close: async () => {
      await db.close()
      await worker.close()
      await web.close()
      await ledger.drop()
    },
  }
}
