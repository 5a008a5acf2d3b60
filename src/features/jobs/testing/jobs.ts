/** Jobs for component tests; what is not named is that of one that needs a person. */
import { z } from 'zod'
import { agentCard } from '#contracts/agent.contract.ts'
import {
  type JobAction,
  type JobBulkExecuteInput,
  type JobBulkFilter,
  type JobBulkPreview,
  type JobBulkPreviewInput,
  type JobReplayInput,
  type JobRow,
  type JobSubmitInput,
  jobBulkPreview,
  jobBulkResult,
  jobCounts,
  jobPage,
  jobReplayed,
  jobRow,
  jobSubmitted,
} from '#contracts/job.contract.ts'
import {
  type JobFailures,
  type JobFailuresInput,
  type JobResolveInput,
  jobFailures,
  jobResolved,
} from '#contracts/job-failures.contract.ts'
import { type JobRates, jobRates } from '#contracts/job-rates.contract.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { JOB_ACTION_EVENTS } from '#domain/job/job.rules.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'

export const AT = '2026-03-02T09:00:00.000Z'

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
    attempt_started_at: AT,
    attempt_ended_at: AT,
    ...more,
  } satisfies JobRow)
}

type ListInput = { cursor?: string; q?: string; status?: readonly string[] }

export const aGroup = (code: string, more: Partial<JobFailures['groups'][number]> = {}) => ({
  code,
  phase: 'NOTEBOOKLM_CALL',
  pattern: 'x',
  patterns: 2,
  sample_message: 'x',
  count: 1,
  failed: 0,
  dead: 1,
  agents: ['librarian'],
  first_at: AT,
  last_at: AT,
  hours: [...Array.from({ length: 23 }, () => 0), 1],
  sample_job_ids: [],
  resolution: null,
  ...more,
})

/** What the form of a new job reads of the agents. */
const agentNames = z.object({ items: z.array(agentCard.pick({ slug: true, name: true })) })

type LedgerOptions = { size?: number; typedAbove?: number; groups?: JobFailures['groups'] }

/** Jobs behind the page, `size` at a time; `fail` makes the list refuse until it is called with null. */
export function jobLedger(
  jobs: readonly JobRow[],
  { size = 50, typedAbove = 100, groups = [] }: LedgerOptions = {},
) {
  const state = { jobs: [...jobs], fault: null as Error | null, ratesRead: 0 }
  const moves = new Set<string>()
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
  const move = (job_id: string, status: JobRow['status']) => {
    state.jobs = state.jobs.map((j) => (j.job_id === job_id ? { ...j, status } : j))
    return { job_id, status }
  }
  let previewed: { action: JobAction; jobs: JobRow[] } = { action: 'requeue', jobs: [] }
  const matched = ({ ids, status, code }: JobBulkFilter) =>
    state.jobs.filter((j) => ids?.includes(j.job_id) ?? status?.includes(j.status) ?? j.error?.code === code)
  const preview = ({ action, filter }: JobBulkPreviewInput): JobBulkPreview => {
    asked.push({ command: 'preview', input: { action, filter } })
    const { from } = jobMachine.events[JOB_ACTION_EVENTS[action]]
    const found = matched(filter)
    const fit = found.filter(({ status }) => from?.some((one) => one === status))
    previewed = { action, jobs: fit }
    const excluded = found.filter((j) => !fit.includes(j))
    return {
      token: 'token-of-a-preview-in-a-test',
      action,
      count: fit.length,
      sample: fit.slice(0, 10),
      excluded: excluded.length,
      excluded_by_status: Object.fromEntries(excluded.map(({ status }) => [status, excluded.length])),
      truncated: false,
      needs_typed_count: fit.length > typedAbove,
      expires_at: AT,
    }
  }
  const execute = (input: JobBulkExecuteInput) => {
    asked.push({ command: 'execute', input })
    const [skipped, done] = [true, false].map((moved) =>
      previewed.jobs.filter((j) => moves.has(j.job_id) === moved),
    )
    const changed = (done ?? []).map(({ job_id }) =>
      move(job_id, jobMachine.events[JOB_ACTION_EVENTS[previewed.action]].to),
    )
    return {
      action: previewed.action,
      requested: previewed.jobs.length,
      done: changed.length,
      changed,
      skipped: (skipped ?? []).map(({ job_id, title }) => ({
        job_id,
        title,
        status: 'CONTEXT_ASSEMBLY' as const,
      })),
    }
  }
  const submit = (input: JobSubmitInput) => {
    asked.push({ command: 'submit', input })
    return { job_id: idOf(77), inbox_id: 'inbox_2026-03-02_abcdef', status: 'PENDING' as const }
  }
  const replay = (input: JobReplayInput) => {
    asked.push({ command: 'replay', input })
    if (state.fault) throw state.fault
    return { job_id: idOf(78), status: 'PENDING' as const, replay_of: input.job_id }
  }
  const agents = () => ({ items: [{ slug: 'librarian', name: 'Research Librarian' }] })
  const resolvedCodes = new Set<string>()
  const resolve = (input: JobResolveInput) => {
    asked.push({ command: 'resolve', input })
    resolvedCodes.add(input.code)
    return { code: input.code, phase: input.phase, resolved_at: AT, resolved_by: 'owner' }
  }
  const procedures = {
    agents: router({ list: query(agentNames, agents) }),
    jobs: router({
      list: query(jobPage, list),
      counts: query(jobCounts, () => ({ by_status: NO_COUNTS, cancelled: NONE, total: NONE })),
      rates: query(jobRates, () => {
        state.ratesRead++
        return { from: AT, to: AT, by_status: SOME_RATES }
      }),
      failures: query(jobFailures, ({ resolved }: JobFailuresInput) => {
        const listed = groups.filter(({ code }) => resolvedCodes.has(code) === (resolved === 'yes'))
        return { groups: listed, others: groups.length - listed.length, exact: true }
      }),
      resolveFailures: mutation(jobResolved, resolve),
      submit: mutation(jobSubmitted, submit),
      replay: mutation(jobReplayed, replay),
      bulkPreview: mutation(jobBulkPreview, preview),
      bulkExecute: mutation(jobBulkResult, execute),
    }),
  }
  return {
    procedures,
    asked,
    ratesRead: () => state.ratesRead,
    add: (job: JobRow) => void state.jobs.unshift(job),
    /** This job moves on between preview and execution. */
    moveOn: (id: string) => void moves.add(id),
    fail: (fault: Error | null) => {
      state.fault = fault
    },
  }
}

/** Five jobs became dead in the last hour, three left that state. */
const SOME_RATES = Object.fromEntries(
  jobMachine.states.map((status) => [status, status === 'DEAD' ? { in: 5, out: 3 } : { in: 0, out: 0 }]),
) as JobRates['by_status']
const NONE = { count: 0, exact: true }
const NO_COUNTS = Object.fromEntries(jobMachine.states.map((status) => [status, NONE])) as Record<
  JobRow['status'],
  typeof NONE
>
