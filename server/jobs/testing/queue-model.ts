/**
 * The queue as a model: what each job's state, attempt and fence must be after each command, said independently of the SQL. The walk runs
 * the real use-cases against a real database and compares every row after every command.
 *
 * Leases and backoffs never end by themselves in a walk: each comparison moves their ends an hour away, and only the commands `expire` and `backoff
 * elapses` bring them back. So a walk means the same on a machine of any speed.
 */
import sql from 'sql-template-tag'
import { ACTIVE_JOB_STATES, type JobEvent, type JobState, jobMachine } from '#domain/job/job.machine.ts'
import type { JobOperation } from '#domain/job/job.rules.ts'
import { can } from '#domain/kernel/machine.ts'
import { commitAnswers, failWrite } from '#server/artifacts/write-artifact.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { pollBackend, readyContexts } from '../backend-call.ts'
import { CALLING, type LeasedJob } from '../job-row.ts'
import { heartbeatLeases, reapLeases } from '../leases.ts'
import { cancelJob, failJob, requeueJob } from '../operate-job.ts'
import { claimJobs } from '../queue.ts'
import { backOffJob, failPermanently, markExhaustedDead, releaseJobs } from '../retry.ts'
import { addJob, answerFor, expireLeases, OPERATOR, type Room } from './queue-room.ts'

export const KINDS = [
  'submit',
  'claim',
  'ready',
  'answer',
  'context_timeout',
  'nlm_busy',
  'fatal',
  'store fails',
  'heartbeat',
  'expire',
  'reap',
  'backoff elapses',
  'release',
  'mark dead',
  'cancel',
  'operator_fail',
  'requeue',
  'backend says',
] as const
export type Command = { kind: (typeof KINDS)[number]; a: number; b: number }

const OPERATE = { cancel: cancelJob, operator_fail: failJob, requeue: requeueJob } as const

type ModelJob = {
  id: string
  agent: string
  state: JobState
  attempt: number
  fence: number
  holder: string | null
  expired: boolean
  elapsed: boolean
  exhausted: boolean
  commits: number
}

const MAX_ATTEMPTS = 1
const MAX_OPEN = 9
const ACTIVE: readonly JobState[] = ACTIVE_JOB_STATES
const OVER: readonly JobState[] = ['COMPLETE', 'FAILED', 'DEAD']

export class Walk {
  readonly jobs: ModelJob[] = []
  /** Every state that some job was in. */
  readonly reached = new Set<JobState>()
  readonly #leases: LeasedJob[] = []
  readonly #room: Room
  readonly #agents: readonly string[]

  constructor(room: Room, agents: readonly string[]) {
    this.#room = room
    this.#agents = agents
  }

  /** Runs one command and compares; throws with what differs. */
  async step(command: Command): Promise<void> {
    await this.#run(command)
    await this.#compare(command)
  }

  async #run({ kind, a, b }: Command): Promise<void> {
    // Mostly jobs that may still change, sometimes any.
    const live = b % 5 === 0 ? this.jobs : this.jobs.filter((j) => j.state !== 'COMPLETE').slice(-12)
    const job = live[a % Math.max(live.length, 1)]
    // The newest leases are the likeliest: they are often valid, the others are stale.
    const leased = this.#leases.at(-1 - (a % Math.max(Math.min(this.#leases.length, 8), 1)))
    if (kind === 'submit') return this.#submit(a)
    if (kind === 'claim') return this.#claim(`w${a % 3}`, 1 + (b % 3))
    if (kind === 'heartbeat') return this.#heartbeat(`w${a % 3}`)
    if (kind === 'reap') return this.#reap()
    if (kind === 'release') return this.#release()
    if (kind === 'mark dead') return this.#markDead()
    if (kind === 'expire') return job && this.#expire(job)
    if (kind === 'backoff elapses') return job && this.#elapse(job)
    if (kind === 'backend says') return job && this.#backendSays(job, b)
    if (kind === 'cancel' || kind === 'operator_fail' || kind === 'requeue')
      return job && this.#operate(job, kind)
    if (leased) return this.#holderWrites(kind, leased)
  }

  async #submit(n: number): Promise<void> {
    if (this.jobs.filter((j) => !OVER.includes(j.state)).length >= MAX_OPEN) return
    const agent = this.#agents[n % this.#agents.length] as string
    const id = await addJob(this.#room.db, { agent, max_attempts: MAX_ATTEMPTS })
    this.jobs.push({
      id,
      agent,
      state: 'PENDING',
      attempt: 0,
      fence: 0,
      holder: null,
      expired: false,
      elapsed: false,
      exhausted: false,
      commits: 0,
    })
  }

  async #claim(holder: string, limit: number): Promise<void> {
    for (const j of this.jobs) if (j.state === 'PENDING') j.state = 'QUEUED'
    const busy = new Set(this.jobs.filter((j) => ACTIVE.includes(j.state)).map((j) => j.agent))
    const idle = new Set(
      this.jobs.filter((j) => j.state === 'QUEUED' && !busy.has(j.agent)).map((j) => j.agent),
    )
    const taken = await claimJobs(this.#room, { holder, limit })
    equal('number of claims', taken.length, Math.min(limit, idle.size))
    for (const leased of taken) {
      const j = this.#jobOf(leased.job_id)
      equal('a claimed job was queued', j.state, 'QUEUED')
      equal('its lane was idle', idle.delete(j.agent), true)
      Object.assign(j, { state: 'CONTEXT_ASSEMBLY', fence: j.fence + 1, holder, expired: false })
      equal('fence of the claim', leased.fence, j.fence)
      this.#leases.push(leased)
    }
  }

  async #holderWrites(kind: Command['kind'], leased: LeasedJob): Promise<void> {
    const { db } = this.#room
    const j = this.#jobOf(leased.job_id)
    const mine = (event: JobEvent) => can(jobMachine, j.state, event) && j.fence === leased.fence
    const context = { context_key: 'k', context_sha256: 's', write_token_hash: 'h' }
    if (kind === 'ready') {
      const [moved] = await readyContexts(db, [{ job_id: j.id, fence: leased.fence, ...context }])
      equal('ready', moved, mine('context_ready'))
      if (moved) Object.assign(j, { state: 'NOTEBOOKLM_CALL', expired: false })
    } else if (kind === 'answer') {
      const [moved] = await commitAnswers(this.#room, [answerFor(leased)])
      equal('answer', moved, mine('nlm_answered'))
      if (moved) Object.assign(j, { ...this.#free(), state: 'COMPLETE', commits: j.commits + 1 })
    } else if (kind === 'store fails') {
      const moved = await failWrite(this.#room, leased, 'disk full')
      equal('store fails', moved, mine('nlm_answered'))
      if (moved) this.#backOff(j)
    } else if (kind === 'fatal') {
      const moved = await failPermanently(db, leased, { code: 'VALIDATION_ERROR', message: 'no' })
      equal('fatal', moved, mine('fatal'))
      if (moved) Object.assign(j, { ...this.#free(), state: 'FAILED' })
    } else if (kind === 'context_timeout' || kind === 'nlm_busy') {
      const state = await backOffJob(this.#room, kind, leased, { code: 'NLM_UNAVAILABLE', message: 'no' })
      equal(kind, state !== null, mine(kind))
      if (state) this.#backOff(j)
    }
  }

  async #heartbeat(holder: string): Promise<void> {
    const renewed = await heartbeatLeases(this.#room.db, holder)
    const live = this.jobs.filter((j) => j.holder === holder && ACTIVE.includes(j.state) && !j.expired)
    equal('renewed', renewed, live.length)
  }

  async #expire(j: ModelJob): Promise<void> {
    if (!ACTIVE.includes(j.state)) return
    await expireLeases(this.#room.db, [j.id])
    j.expired = true
  }

  async #reap(): Promise<void> {
    const dead = this.jobs.filter((j) => ACTIVE.includes(j.state) && j.expired)
    equal('reaped', await reapLeases(this.#room), dead.length)
    for (const j of dead) {
      j.fence++
      this.#backOff(j)
    }
  }

  async #elapse(j: ModelJob): Promise<void> {
    if (j.state !== 'RETRY_BACKOFF') return
    await this.#room.db.query(
      sql`UPDATE job SET not_before = clock_timestamp() - interval '1 second' WHERE job_id = ${j.id}`,
    )
    j.elapsed = true
  }

  async #release(): Promise<void> {
    const due = this.jobs.filter((j) => j.state === 'RETRY_BACKOFF' && j.elapsed)
    equal('released', await releaseJobs(this.#room.db), due.length)
    for (const j of due) Object.assign(j, { state: 'QUEUED', attempt: j.attempt + 1, elapsed: false })
  }

  async #markDead(): Promise<void> {
    const spent = this.jobs.filter((j) => j.state === 'FAILED' && j.exhausted)
    equal('marked dead', await markExhaustedDead(this.#room.db), spent.length)
    for (const j of spent) j.state = 'DEAD'
  }

  async #operate(j: ModelJob, operation: JobOperation): Promise<void> {
    const done = await OPERATE[operation](this.#room, { job_id: j.id, reason: 'the walk' }, OPERATOR)
    equal(operation, done.ok, can(jobMachine, j.state, operation))
    if (!done.ok) return
    Object.assign(j, { ...this.#free(), state: jobMachine.events[operation].to, fence: j.fence + 1 })
    if (operation === 'requeue') j.attempt = 0
  }

  /** A callback has come (or ten seconds have passed) and the backend is asked: in progress, or an error of one kind or the other. */
  async #backendSays(j: ModelJob, n: number): Promise<void> {
    const { db } = this.#room
    await db.query(
      sql`UPDATE job SET poll_at = clock_timestamp() WHERE job_id = ${j.id} AND status = ${CALLING}`,
    )
    const code = (['RATE_LIMIT', 'VALIDATION_ERROR'] as const)[n % 3]
    const moved = await pollBackend(this.#room, {
      job: async (job_id) =>
        code
          ? { job_id, state: 'ERROR', phase_ms: {}, error: { code, message: 'said so' } }
          : { job_id, state: 'NLM_QUERY', phase_ms: {} },
    })
    const asked = j.state === 'NOTEBOOKLM_CALL' && !j.expired
    equal('moved by the backend', moved, asked && code ? 1 : 0)
    if (!moved) return
    if (code === 'RATE_LIMIT') this.#backOff(j)
    else Object.assign(j, { ...this.#free(), state: 'FAILED' })
  }

  #backOff(j: ModelJob): void {
    const spent = j.attempt >= MAX_ATTEMPTS
    Object.assign(j, { ...this.#free(), state: spent ? 'FAILED' : 'RETRY_BACKOFF', exhausted: spent })
  }

  #free(): Partial<ModelJob> {
    return { holder: null, expired: false, elapsed: false, exhausted: false }
  }

  #jobOf(id: string): ModelJob {
    const found = this.jobs.find((j) => j.id === id)
    if (!found) throw new Error(`the model does not know the job ${id}`)
    return found
  }

  /** One statement: the states are those from before the deadlines are postponed, which touches none of them. */
  async #compare({ kind }: Command): Promise<void> {
    const open = this.jobs.slice(-3 * MAX_OPEN)
    const far = sql`clock_timestamp() + interval '1 hour'`
    const { rows } = await this.#room.db.query<{ job_id: string; summary: string }>(
      prepared(sql`WITH postponed AS (
          UPDATE job SET
            lease_expires_at = CASE WHEN lease_expires_at > clock_timestamp() THEN ${far} ELSE lease_expires_at END,
            poll_at = CASE WHEN poll_at IS NOT NULL THEN ${far} END,
            not_before = CASE WHEN not_before > clock_timestamp() THEN ${far} ELSE not_before END
          WHERE lease_expires_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '30 minutes'
            OR not_before BETWEEN clock_timestamp() AND clock_timestamp() + interval '30 minutes')
        SELECT job_id, status || ' attempt ' || attempt || ' fence ' || fence AS summary FROM job WHERE job_id = ANY(${open.map((j) => j.id)}::uuid[])`),
    )
    for (const j of open) this.reached.add(j.state)
    const summary = new Map(rows.map((r) => [r.job_id, r.summary]))
    for (const j of open)
      equal(
        `after ${kind}: job ${j.id}`,
        summary.get(j.id),
        `${j.state} attempt ${j.attempt} fence ${j.fence}`,
      )
  }
}

function equal(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)} instead of ${String(expected)}`)
}
