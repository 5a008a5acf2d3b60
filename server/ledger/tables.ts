import sql, { raw, type Sql } from 'sql-template-tag'
import type { LEDGER_MACHINES } from '#domain/machines.ts'

export type LedgerMachine = keyof typeof LEDGER_MACHINES

type LedgerTable = {
  key: string
  resource: string
  /** The column that names the resource in an event, where that is not the key. */
  resourceId?: string
  refs: Sql
}

/** Where each machine's rows live, what names them in an event, and which ids concern them (`refs`, over the alias `m`). */
export const TABLES: Record<LedgerMachine, LedgerTable> = {
  inbox_entry: {
    key: 'inbox_id',
    resource: 'inbox',
    refs: sql`jsonb_build_object('inbox_id', m.inbox_id, 'run_id', m.run_id)`,
  },
  proposal: {
    key: 'proposal_id',
    resource: 'proposal',
    refs: sql`jsonb_build_object('proposal_id', m.proposal_id, 'inbox_id', m.inbox_entry_id, 'run_id', m.run_id, 'agent', m.agent_slug)`,
  },
  job: {
    key: 'job_id',
    resource: 'job',
    refs: sql`jsonb_build_object('job_id', m.job_id, 'run_id', m.run_id, 'inbox_id', m.inbox_entry_id, 'agent', m.agent_slug, 'artifact_id', m.artifact_id)`,
  },
  run: {
    key: 'run_id',
    resource: 'run',
    refs: sql`jsonb_build_object('run_id', m.run_id, 'inbox_id', m.inbox_entry_id, 'agent', m.agent_slug)`,
  },
  run_question: {
    key: 'question_id',
    resource: 'question',
    refs: sql`jsonb_build_object('run_id', m.run_id, 'agent', m.agent_slug)`,
  },
  run_step: { key: 'run_id', resource: 'step', refs: sql`jsonb_build_object('run_id', m.run_id)` },
  agent: { key: 'slug', resource: 'agent', refs: sql`jsonb_build_object('agent', m.slug)` },
  zone: { key: 'zone_id', resource: 'zone', refs: sql`jsonb_build_object('zone_id', m.zone_id)` },
  machine_key: { key: 'key_id', resource: 'key', refs: sql`'{}'::jsonb` },
  alert: { key: 'alert_id', resource: 'alert', refs: sql`'{}'::jsonb` },
  alert_delivery: { key: 'delivery_id', resource: 'alert', refs: sql`'{}'::jsonb` },
  push_message: { key: 'message_id', resource: 'account', resourceId: 'account_id', refs: sql`'{}'::jsonb` },
  llm_task: {
    key: 'task_id',
    resource: 'task',
    refs: sql`jsonb_build_object('task_id', m.task_id, 'run_id', m.run_id, 'agent', m.agent_slug, 'artifact_id', m.artifact_id)`,
  },
  task_lease: {
    key: 'lease_id',
    resource: 'lease',
    refs: sql`jsonb_build_object('lease_id', m.lease_id, 'task_id', m.task_id)`,
  },
  membridge_sync: { key: 'sync_id', resource: 'sync', refs: sql`'{}'::jsonb` },
  membridge_selection: {
    ...{ key: 'selection_id', resource: 'leadership', resourceId: 'canonical_id' },
    refs: sql`'{}'::jsonb`,
  },
}

export const table = (machine: LedgerMachine): Sql => raw(machine)
export const key = (machine: LedgerMachine): Sql => raw(TABLES[machine].key)
/** What names the changed row `m` in its event. */
export const resourceIdOf = (machine: LedgerMachine): Sql =>
  raw(`m.${TABLES[machine].resourceId ?? TABLES[machine].key}::text`)
