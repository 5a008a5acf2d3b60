import type { ClientBase } from 'pg'
import { REBUILT } from '#server/audit/declared-losses.ts'
import { quoted } from '#server/copies/copied-tables.ts'

/**
 * What is no part of the record, and so comes back empty, anew or from somewhere else, by table and column. Every other column of the
 * tables below is the same after a rebuild as before it.
 */
export const NOT_REBUILT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  event: {},
  event_seal: {},
  event_head: {
    low: 'where the sealer looks next; a rebuilt ledger has no event that waits',
    mark_id: 'the same',
    mark_xid: 'the same: numbers of transactions mean nothing on another server',
  },
  audit_head: {},
  consumer: {
    lease_holder: 'who wrote objects died with the database',
    lease_expires_at: 'the same',
    updated_at: 'when it last did',
    last_error: 'what it last met',
  },
  inbox_entry: {},
  agent: {
    updated_at: 'when its file was last read, which is no event',
    revision: 'the commit at which its file was last read',
    problems:
      'those of the file as it is; that an edit did not raise the version is seen only while two readings are compared',
  },
  job: {
    lease_holder: 'of the moment: an ended job is nobody’s',
    lease_expires_at: 'the same',
    phase_deadline: 'the same',
    poll_at: 'the same',
    write_token_hash: 'a token that is spent',
  },
  run: {
    lease_holder: 'who worked on it died with the database; the next scan resumes it',
    lease_expires_at: 'the same',
  },
  run_step: {},
  run_call: {},
  artifact: { task_id: 'LLM Tasks are no part of the record; their answers are, without them' },
  artifact_labels: {},
  artifact_removal: { removed_at: 'whether the store has confirmed it; the removal is repeated' },
  proposal: {
    lease_holder: 'which engine held it; the next one takes it over',
    lease_expires_at: 'the same',
    seen_at: 'that the owner had it on screen is no event',
    review_class: 'how it stood a few seconds before; the worker looks at every one when it starts',
    risk: 'the same',
    risk_rank: 'the same',
    seen_again: 'a count of refused repeats, each of which is a rejected entry',
  },
}

const KEYS: Readonly<Record<string, string>> = {
  event: 'id',
  event_seal: 'seq',
  event_head: 'seq',
  audit_head: 'seq',
  consumer: 'name',
  inbox_entry: 'inbox_id',
  agent: 'slug',
  job: 'job_id',
  run: 'run_id',
  run_step: 'run_id, step',
  run_call: 'run_id, call_index',
  artifact: 'artifact_id',
  artifact_labels: 'artifact_id',
  artifact_removal: 'artifact_id',
  proposal: 'proposal_id',
}

export type LedgerRecord = Record<string, Record<string, unknown>[]>

/** The rows of the record as JSON, by table, in the order of their keys: equal before and after a rebuild. */
export async function recordOfLedger(client: Pick<ClientBase, 'query'>): Promise<LedgerRecord> {
  const record: LedgerRecord = {}
  await client.query("SET timezone = 'UTC'")
  for (const [table, without] of Object.entries(NOT_REBUILT)) {
    const { rows } = await client.query<{ row: Record<string, unknown> }>(
      `SELECT to_jsonb(t) - $1::text[] AS row FROM ${quoted(table)} t ORDER BY ${KEYS[table]}`,
      [Object.keys(without)],
    )
    record[table] = rows.map(({ row }) => row)
  }
  return record
}

/** The record of a rebuilt ledger without the newest event, which tells of the rebuild, its seal, and the head that it moved. */
export function withoutRebuild({ event = [], event_seal = [], ...others }: LedgerRecord): LedgerRecord {
  const [rebuilt, seal] = [event.at(-1), event_seal.at(-1)]
  if (rebuilt?.name !== REBUILT || seal?.event !== rebuilt.id)
    throw new Error('the newest event does not tell of a rebuild')
  const last = event_seal.at(-2)
  const head = (others.event_head ?? []).map((row) => ({ ...row, seq: last?.seq, hash: last?.hash }))
  return { ...others, event: event.slice(0, -1), event_seal: event_seal.slice(0, -1), event_head: head }
}
