import { type Cell, csvLines } from '#server/exports/csv.ts'
import type { ExportedRow } from './export-audit.ts'

/** The columns of a CSV export; `body` holds the hashed bytes. */
const COLUMNS: Record<string, (row: ExportedRow) => Cell> = {
  seq: (row) => row.seq,
  ts: (row) => row.ts.toISOString(),
  event: (row) => row.name,
  actor: (row) => row.actor,
  actor_role: (row) => row.actor_role,
  via: (row) => row.via,
  resource_type: (row) => row.resource_type,
  resource_id: (row) => row.resource_id,
  from: (row) => row.from_status,
  to: (row) => row.to_status,
  reason: (row) => row.reason,
  outcome: (row) => row.outcome,
  error_code: (row) => row.error_code,
  correlation_id: (row) => row.correlation_id,
  prev_hash: (row) => row.prev_hash.toString('hex'),
  hash: (row) => row.hash.toString('hex'),
  body: (row) => row.body,
}

/** Lines of these events, below the header when it is asked for. */
export const auditCsv = (rows: readonly ExportedRow[], header = false): string =>
  csvLines(
    Object.keys(COLUMNS),
    rows.map((row) => Object.values(COLUMNS).map((cell) => cell(row))),
    header,
  )
