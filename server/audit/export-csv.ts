import type { ExportedRow } from './export-audit.ts'

/** The columns of a CSV export; `body` holds the hashed bytes. */
const COLUMNS: Record<string, (row: ExportedRow) => string | number | null> = {
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

export const CSV_HEADER = `${Object.keys(COLUMNS).join(',')}\n`

export const csvLine = (row: ExportedRow): string =>
  `${Object.values(COLUMNS)
    .map((cell) => quoted(cell(row)))
    .join(',')}\n`

/** A spreadsheet takes a text that begins with one of these for a formula; an apostrophe before it makes it a text. */
function quoted(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
