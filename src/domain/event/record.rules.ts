/**
 * The record of an event: the columns that it set, as they are afterwards. What a thing is follows from its body and the fold of its
 * events ([rebuild#fold]); the tables say which event sets what, and events, folds and tests read the same tables.
 */
import { AGENT_RECORD } from '../agent/agent.record.ts'
import { INBOX_RECORD } from '../inbox/inbox.record.ts'
import type { LEDGER_MACHINES } from '../machines.ts'
import { PROPOSAL_RECORD } from '../proposal/proposal.record.ts'

export type RecordTable = Readonly<Record<string, readonly string[]>>

/** The machines whose rows can be made again from their events. */
export const RECORDS: { readonly [M in keyof typeof LEDGER_MACHINES]?: RecordTable } = {
  inbox_entry: INBOX_RECORD,
  proposal: PROPOSAL_RECORD,
  agent: AGENT_RECORD,
}

/** The record of a command that is no event of its machine, from the row as it is afterwards. */
export const recordOf = (
  columns: readonly string[],
  row: Readonly<Record<string, unknown>>,
): Record<string, unknown> => Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))

/** An event as the fold takes it; `event` is that of the machine, or the command that changed no state. */
export type PastEvent = {
  event: string
  to: string | null
  /** When it was recorded, ISO 8601. */
  at: string
  /** Null in an event from before events had records. */
  record: Readonly<Record<string, unknown>> | null
}

/**
 * What a thing has become by its events, which are given in their order. Columns that the table does not name for an event are none of its
 * business, whatever its record holds; of an event without a record the state and its time are known.
 */
export function fold<Row extends Readonly<Record<string, unknown>>>(
  body: Row,
  events: readonly PastEvent[],
  table: RecordTable,
): Row & { status?: string } {
  const row: Record<string, unknown> = { ...body }
  for (const { event, to, at, record } of events) {
    if (to !== null) row.status = to
    if (record === null) row.updated_at = at
    for (const column of table[event] ?? []) if (record && column in record) row[column] = record[column]
  }
  return row as Row & { status?: string }
}
