/**
 * [runs#R1]: a run is requested in the transaction of its inbox entry. The entry's correlation id makes a repeat find the same run; this
 * checks only that the agent may run and its queue has room, both under the lock of the agent's row.
 */
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import type { RunParams } from '#contracts/run-commands.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { runId } from '#domain/kernel/ids.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { WAITING_STATES } from '#domain/run/run.rules.ts'
import type { RerunOf } from '#server/inbox/entry-handlers.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import { ledgerNow } from './finish-run.ts'
import { recordRerun } from './record-rerun.ts'
import type { RunRow } from './run-row.ts'

export type RunRequest = {
  slug: string
  params: RunParams
  priority: 'normal' | 'high'
  trigger: 'manual' | 'cron' | 'event' | 'mcp' | 'rerun'
  /** The run that it replays: of the same agent, final, with the steps below `fromStep` completed. */
  rerun?: RerunOf | null
  inboxId: string | null
  correlationId: string | null
}

export type QueueLimit = { RUNS_QUEUE_DEPTH: number }

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
/** Six of [0-9a-z] from a cryptographic source; bytes that would favour some digits are discarded. */
function randomDigits(length = 6): string {
  let out = ''
  while (out.length < length) {
    for (const byte of randomBytes(16)) if (byte < 252 && out.length < length) out += DIGITS[byte % 36]
  }
  return out
}

/** Triggers of people and programs, which a definition may switch off; schedules and events stand in the definition itself. */
const BY_HAND: readonly RunRequest['trigger'][] = ['manual', 'mcp', 'rerun']

type Runnable = Row<'agent', 'status'> & { manual: boolean }

/** Creates the run, or refuses: 404, 409 AGENT_NOT_ACTIVE (also when the definition says `triggers.manual: false`), 429 QUEUE_FULL. */
export async function requestRun(
  tx: Db,
  request: RunRequest,
  caller: Caller,
  { RUNS_QUEUE_DEPTH: depth }: QueueLimit,
): Promise<Result<RunRow>> {
  const { rows } =
    await tx.query<Runnable>(sql`SELECT status, coalesce(definition #> '{triggers,manual}' <> 'false', true) AS manual
      FROM agent WHERE slug = ${request.slug} FOR NO KEY UPDATE`)
  const fault = agentFault(request, rows[0])
  if (fault) return refuse(fault)
  // A statement of its own: counted after the lock is lease, not at the time it was asked for.
  const { rows: counted } = await tx.query<{ waiting: number }>(
    sql`SELECT count(*)::int AS waiting FROM run WHERE agent_slug = ${request.slug} AND status IN ${states(runMachine, ...WAITING_STATES)}`,
  )
  const waiting = counted[0]?.waiting ?? 0
  if (waiting >= depth) {
    return refuse({
      code: 'QUEUE_FULL',
      message: `${waiting} runs of ${request.slug} are already waiting. Try again when one has started.`,
      details: { waiting, limit: depth },
      retryAfter: 5,
    })
  }
  return ok(await insert(tx, request, caller))
}

function agentFault({ slug, trigger }: RunRequest, agent: Runnable | undefined): Refusal | null {
  if (!agent) return { code: 'TARGET_NOT_FOUND', message: `There is no agent ${slug}.` }
  const { status, manual } = agent
  if (status !== agentMachine.events.activate.to) {
    const message = `The agent ${slug} is ${status}; only an active agent runs.`
    return { code: 'AGENT_NOT_ACTIVE', message, details: { status } }
  }
  if (manual || !BY_HAND.includes(trigger)) return null
  const message = `The definition of ${slug} says triggers.manual: false; only its schedule and its events run it.`
  return { code: 'AGENT_NOT_ACTIVE', message, details: { status, trigger } }
}

async function insert(tx: Db, request: RunRequest, caller: Caller): Promise<RunRow> {
  const now = await ledgerNow(tx)
  for (;;) {
    const row = await create(tx, {
      machine: 'run',
      actor: caller,
      correlationId: request.correlationId ?? undefined,
      ...(request.rerun && { reason: request.rerun.reason }),
      values: {
        run_id: runId(now, randomDigits()),
        agent_slug: request.slug,
        inbox_entry_id: request.inboxId,
        trigger: request.trigger,
        requested_by: caller.identity,
        correlation_id: request.correlationId,
        priority: request.priority,
        params: json(request.params),
        requested_at: now,
        ...(request.rerun && { replay_of: request.rerun.runId, from_step: request.rerun.fromStep }),
      },
    })
    if (!row) continue
    if (request.rerun) await recordRerun(tx, row, request.rerun, caller)
    return row
  }
}
