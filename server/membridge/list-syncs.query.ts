/** SQL, not Prisma Client, which the Control Plane's process does not open. */
import sql from 'sql-template-tag'
import type { SyncList, SyncView } from '#contracts/membridge.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { syncMachine } from '#domain/membridge/sync.machine.ts'
import { keyset, whereAll } from '#server/ledger/list.ts'
import { columns } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { SYNC_COLUMNS, type SyncRow, syncView } from './sync-view.ts'

type Parts = Pick<Services, 'db'>

const newest = keyset('membridge_sync', 'syncs', { created_at: 'time', sync_id: 'text' }, 'desc')

/** Syncs, newest first. */
export async function listSyncs(
  { db }: Parts,
  { status, project, cursor, limit }: SyncList,
): Promise<{ items: SyncView[]; next_cursor: string | null }> {
  const { rows } =
    await db.query<SyncRow>(sql`SELECT ${columns('membridge_sync', 's', SYNC_COLUMNS)} FROM membridge_sync s
    ${whereAll(
      status && sql`s.status = ${state(syncMachine, status)}`,
      project !== undefined && sql`s.project = ${project}`,
      newest.after('s', cursor),
    )}
    ORDER BY ${newest.order('s')} LIMIT ${limit + 1}`)
  const page = newest.page(rows, limit)
  return { items: page.rows.map(syncView), next_cursor: page.next_cursor }
}

const SYNC_ID = /^[0-9a-f]{16}$/

/** One sync; 404 for an id of any form that is none. */
export async function getSync({ db }: Parts, { id }: { id: string }): Promise<Result<SyncView>> {
  const unknown = refuse({ code: 'NOT_FOUND', message: `Job '${id}' not found` })
  if (!SYNC_ID.test(id)) return unknown
  const { rows } = await db.query<SyncRow>(
    sql`SELECT ${columns('membridge_sync', 's', SYNC_COLUMNS)} FROM membridge_sync s WHERE s.sync_id = ${id}`,
  )
  return rows[0] ? ok(syncView(rows[0])) : unknown
}
