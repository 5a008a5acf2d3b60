import type { SyncView } from '#contracts/membridge.contract.ts'
import type { Row } from '#server/ledger/rows.ts'
import { seconds, secondsOrNull } from './membridge-rows.ts'

export const SYNC_COLUMNS = [
  'sync_id',
  'action',
  'status',
  'project',
  'agent',
  'canonical_id',
  'detail',
  'stdout',
  'stderr',
  'returncode',
  'dryrun',
  'created_at',
  'finished_at',
  'request_id',
] as const
export type SyncRow = Row<'membridge_sync', (typeof SYNC_COLUMNS)[number]>

/** What readers get of a sync, and no more of its row. */
export function syncView(row: SyncRow): SyncView {
  const { action, status, project, agent, canonical_id, detail, stdout, stderr, returncode, dryrun } = row
  return {
    ...{ id: row.sync_id, kind: 'sync', action, status, project, agent, canonical_id },
    ...{ detail, stdout, stderr, returncode, dryrun },
    created_at: seconds(row.created_at),
    finished_at: secondsOrNull(row.finished_at),
    request_id: row.request_id,
  }
}
