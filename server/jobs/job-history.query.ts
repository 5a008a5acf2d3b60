import type { JobError, JobHistoryRow } from '#contracts/job.contract.ts'
import { type Row, rowsOf, selected } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'

const HISTORY_LIMIT = 1_000

const SHOWN = [
  'id',
  'event_id',
  'ts',
  'name',
  'actor',
  'actor_role',
  'transition',
  'from_status',
  'to_status',
  'reason',
  'outcome',
  'node',
  'details',
] as const

/** What the transitions of a job write into `details` (`AT_FENCE`, `WITH_ERROR`). */
type JobDetails = { attempt?: number; fence?: number; error?: JobError; backoff_seconds?: number }

/** The append-only history of a job, oldest first: its newest thousand lines. */
export async function jobHistory(
  { reads }: Pick<Services, 'reads'>,
  jobId: string,
): Promise<JobHistoryRow[]> {
  const found = await reads.event.findMany({
    select: selected(SHOWN),
    where: { resource_type: 'job', resource_id: jobId },
    orderBy: { id: 'desc' },
    take: HISTORY_LIMIT,
  })
  const seals = await reads.eventSeal.findMany({
    select: { event: true, seq: true },
    where: { event: { in: found.map((event) => event.id) } },
  })
  const seqOf = new Map(seals.map((seal) => [Number(seal.event), Number(seal.seq)]))
  return rowsOf('event', found)
    .reverse()
    .map((event) => historyRow(event, seqOf.get(event.id) ?? null))
}

function historyRow(e: Row<'event', (typeof SHOWN)[number]>, seq: number | null): JobHistoryRow {
  const details: JobDetails = e.details
  return {
    seq,
    event_id: e.event_id,
    event: e.name,
    transition: e.transition,
    from: e.from_status,
    to: e.to_status,
    outcome: e.outcome,
    attempt: details.attempt ?? null,
    fence: details.fence ?? null,
    actor: e.actor,
    actor_role: e.actor_role,
    reason: e.reason,
    error: details.error ?? null,
    backoff_seconds: details.backoff_seconds ?? null,
    node: e.node,
    at: e.ts.toISOString(),
  }
}
