/** Jobs for component tests; what is not named is that of one that needs a person. */
import {
  type JobBulkPreview,
  type JobRow,
  jobBulkPreview,
  jobBulkResult,
  jobCounts,
  jobFailures,
  jobOperated,
  jobPage,
  jobRow,
} from '#contracts/job.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'

const AT = '2026-03-02T09:00:00.000Z'

export const idOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

export function aJob(n: number, more: Partial<JobRow> = {}): JobRow {
  return jobRow.parse({
    job_id: idOf(n),
    job_type: 'RESEARCH',
    status: 'DEAD',
    agent_slug: 'librarian',
    run_id: null,
    inbox_entry_id: null,
    requested_by: 'owner',
    priority: 'normal',
    tenant: 'default',
    callback: `http://localhost/api/v1/jobs/${idOf(n)}/result`,
    replay_of: null,
    depends_on: [],
    title: `Question number ${n}`,
    attempt: 3,
    max_attempts: 3,
    requeue_count: 0,
    not_before: null,
    wait_reason: null,
    wait_blocker: null,
    failure_kind: null,
    error: null,
    artifact_id: null,
    created_at: AT,
    updated_at: AT,
    finished_at: AT,
    ...more,
  } satisfies JobRow)
}

type ListInput = { cursor?: string; q?: string; status?: readonly string[] }
type Command = { job_id: string; reason: string }

/** Jobs behind the page, `size` at a time; `fail` makes the list refuse until it is called with null. */
export function jobLedger(jobs: readonly JobRow[], size = 50) {
  const state = { jobs: [...jobs], fault: null as Error | null, refused: new Map<string, Error>() }
  const asked: { command: string; input: unknown }[] = []
  const list = ({ cursor = '0', q = '', status }: ListInput) => {
    asked.push({ command: 'list', input: { cursor, q } })
    if (state.fault) throw state.fault
    const found = state.jobs.filter((j) => j.title.includes(q) && (status?.includes(j.status) ?? true))
    const end = Number(cursor) + size
    return {
      items: found.slice(Number(cursor), end),
      next_cursor: end < found.length ? String(end) : null,
      now: AT,
    }
  }
  const queue = (job_id: string) => {
    state.jobs = state.jobs.map((j) => (j.job_id === job_id ? { ...j, status: 'QUEUED' } : j))
    return { job_id, status: 'QUEUED' as const }
  }
  const requeue = (input: Command) => {
    asked.push({ command: 'requeue', input })
    const refusal = state.refused.get(input.job_id)
    if (refusal) throw refusal
    return queue(input.job_id)
  }
  const dead = () => state.jobs.filter(({ status }) => status === 'DEAD')
  const preview = (): JobBulkPreview => ({
    token: 'token-of-a-preview-in-a-test',
    action: 'requeue',
    count: dead().length,
    sample: dead(),
    excluded: 0,
    excluded_by_status: {},
    truncated: false,
    needs_typed_count: false,
    expires_at: AT,
  })
  const execute = () => {
    const changed = dead().map(({ job_id }) => queue(job_id))
    return {
      action: 'requeue' as const,
      requested: changed.length,
      done: changed.length,
      changed,
      skipped: [],
    }
  }
  const procedures = {
    jobs: router({
      list: query(jobPage, list),
      counts: query(jobCounts, () => ({ by_status: NO_COUNTS, total: NONE })),
      failures: query(jobFailures, () => ({ groups: [], exact: true })),
      requeue: mutation(jobOperated, requeue),
      bulkPreview: mutation(jobBulkPreview, preview),
      bulkExecute: mutation(jobBulkResult, execute),
    }),
  }
  return {
    procedures,
    asked,
    add: (job: JobRow) => void state.jobs.unshift(job),
    refuse: (id: string, refusal: Error) => void state.refused.set(id, refusal),
    fail: (fault: Error | null) => {
      state.fault = fault
    },
  }
}

const NONE = { count: 0, exact: true }
const NO_COUNTS = Object.fromEntries(jobMachine.states.map((status) => [status, NONE])) as Record<
  JobRow['status'],
  typeof NONE
>
