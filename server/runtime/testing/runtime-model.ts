/**
 * LLM Tasks and their workers as a model: what each task's state, attempts and fence must be after each command, how many leases a worker has, whether its
 * breaker lets it work; said independently of the SQL. The walk runs the real use-cases against a real database and compares after every command.
 *
 * Nothing ends by itself in a walk: each comparison moves every time that is to come an hour away, and only commands bring one back.
 */
import sql from 'sql-template-tag'
import { can } from '#domain/kernel/machine.ts'
import { type TaskState, taskMachine } from '#domain/task/task.machine.ts'
import { OPERATOR } from '#server/jobs/testing/queue-room.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { beatTask } from '../beat-task.ts'
import { handBack, reapTaskLeases, releaseByForce } from '../end-lease.ts'
import { type Granted, leaseTask } from '../lease-task.ts'
import { cancelTask, requeueTask } from '../operate-task.ts'
import { markWorkersOffline } from '../register-worker.ts'
import { retryTasks } from '../retry-tasks.ts'
import { RUNTIME } from '../runtime-rows.ts'
import {
  addTask,
  addWorker,
  failure,
  MACHINE,
  passDelay,
  type RuntimeRoom,
  report,
  runOut,
  shownBy,
  success,
} from './runtime-room.ts'

export const KINDS = [
  'create',
  'lease',
  'lease by anybody',
  'heartbeat',
  'complete',
  'fail',
  'fail for good',
  'rate limit',
  'hand back',
  'expire',
  'reap',
  'delay passes',
  'retry',
  'requeue',
  'cancel',
  'force',
  'drain',
  'worker lost',
  'worker heard',
  'breaker cools',
  'rest ends',
] as const
export type Command = { kind: (typeof KINDS)[number]; a: number; b: number }

type ModelTask = {
  id: string
  state: TaskState
  attempts: number
  fence: number
  worker: ModelWorker | null
  lease: Granted | null
  expired: boolean
  /** Failed, with a time to try again. */
  waits: boolean
  passed: boolean
  /** Handed back, and its delay not over. */
  delayed: boolean
  excluded: ModelWorker | null
  /** The worker of the lease before, where that failed. */
  failedAt: ModelWorker | null
}
type ModelWorker = {
  id: string
  max: number
  active: number
  online: boolean
  drained: boolean
  resting: boolean
  failures: number
  breaker: 'closed' | 'open' | 'half_open'
  cooled: boolean
}

const REPORTS = {
  complete: success('one'),
  fail: failure('HTTP 500'),
  'fail for good': failure('no', { error_code: 'budget_exceeded' }),
  'rate limit': failure('429', { error_code: 'rate_limited' }),
}
type Report = keyof typeof REPORTS

const MAX_ATTEMPTS = 3
const MAX_OPEN = 8
const WORKERS = [1, 2, 3]

export class Walk {
  readonly tasks: ModelTask[] = []
  readonly workers: ModelWorker[] = []
  readonly reached = new Set<TaskState>()
  readonly #leases: { task: ModelTask; granted: Granted }[] = []
  /** The report that counted under a lease: the same again gets its answer, whatever has become of the task. */
  readonly #counted = new Map<Granted, Report>()
  readonly #room: RuntimeRoom

  constructor(room: RuntimeRoom) {
    this.#room = room
  }

  async open(): Promise<void> {
    for (const max of WORKERS)
      this.workers.push({
        ...{ id: await addWorker(this.#room.db, `w${max}`, { max }), max },
        ...{
          active: 0,
          online: true,
          drained: false,
          resting: false,
          failures: 0,
          breaker: 'closed',
          cooled: false,
        },
      })
  }

  async step(command: Command): Promise<void> {
    await this.#run(command)
    await this.#compare(command)
  }

  async #run({ kind, a, b }: Command): Promise<void> {
    const live = b % 5 === 0 ? this.tasks : this.tasks.filter((t) => t.state !== 'completed').slice(-12)
    const task = live[a % Math.max(live.length, 1)]
    const worker = this.workers[b % this.workers.length] as ModelWorker
    const recent = this.#leases.at(-1 - (a % Math.max(Math.min(this.#leases.length, 8), 1)))
    if (kind === 'create') return this.#create()
    if (kind === 'reap') return this.#reap()
    if (kind === 'retry') return this.#retry()
    if (kind === 'drain') return this.#drain(worker)
    if (kind === 'worker lost') return this.#markOffline(worker)
    if (kind === 'worker heard') return this.#hear(worker)
    if (kind === 'breaker cools') return this.#cool(worker)
    if (kind === 'rest ends') return this.#endRest(worker)
    if (kind === 'lease') return task && this.#lease(task, worker)
    if (kind === 'lease by anybody') return task && this.#lease(task, null)
    if (kind === 'requeue' || kind === 'cancel') return task && this.#operate(task, kind)
    if (kind === 'delay passes') return task && this.#pass(task)
    if (kind === 'expire') return task?.lease ? this.#expire(task) : undefined
    if (recent) return this.#holderSays(kind, recent.task, recent.granted)
  }

  async #create(): Promise<void> {
    if (this.tasks.filter((t) => ['queued', 'leased', 'running'].includes(t.state)).length >= MAX_OPEN) return
    this.tasks.push({
      id: await addTask(this.#room.db, { max_attempts: MAX_ATTEMPTS }),
      ...{ state: 'queued', attempts: 0, fence: 0, worker: null, lease: null },
      ...{ expired: false, waits: false, passed: false, delayed: false, excluded: null, failedAt: null },
    })
  }

  #takes = (w: ModelWorker): boolean =>
    w.online &&
    !w.drained &&
    !w.resting &&
    w.active < w.max &&
    (w.breaker === 'closed' || ((w.breaker === 'half_open' || w.cooled) && w.active === 0))

  async #lease(t: ModelTask, named: ModelWorker | null): Promise<void> {
    const hasOther = this.workers.some((w) => w !== t.excluded && w.online && !w.drained)
    const mayTake = (w: ModelWorker) => named === w || !(hasOther && w === t.excluded)
    const able = this.workers.filter((w) => (!named || w === named) && this.#takes(w) && mayTake(w))
    const granted = await leaseTask(this.#room.db, { taskId: t.id, workerId: named?.id }, RUNTIME)
    equal('leased', granted.ok, t.state === 'queued' && !t.delayed && able.length > 0)
    if (!granted.ok) return
    const worker = this.workers.find((w) => w.id === granted.value.workerId) as ModelWorker
    equal('by one that could', able.includes(worker), true)
    worker.active++
    Object.assign(t, {
      ...{ state: 'leased', attempts: t.attempts + 1, fence: t.fence + 1, worker, lease: granted.value },
      expired: false,
    })
    equal('fence', granted.value.lease.fence, t.fence)
    this.#leases.push({ task: t, granted: granted.value })
  }

  async #holderSays(kind: Command['kind'], t: ModelTask, granted: Granted): Promise<void> {
    const mine = t.lease === granted
    const worker = t.worker as ModelWorker
    if (kind === 'heartbeat') {
      const done = await beatTask(this.#room, { taskId: t.id, shown: shownBy(granted) }, MACHINE)
      equal('heartbeat', done.ok, mine && !t.expired)
      if (!done.ok) return
      t.state = 'running'
      // Whoever reports is there.
      worker.online = true
      return
    }
    if (kind === 'hand back') {
      const done = await handBack(this.#room.db, granted.lease.id, { message: 'connection refused' })
      equal('hand back', done, mine && t.state === 'leased')
      if (!done) return
      this.#release(t)
      this.#countAgainst(worker)
      Object.assign(t, {
        state: 'queued',
        attempts: t.attempts - 1,
        delayed: true,
        excluded: worker,
        failedAt: null,
      })
      return
    }
    if (kind === 'force') {
      const done = await releaseByForce(this.#room.db, granted.lease.id, 'the walk', OPERATOR)
      equal('force', done, mine)
      if (done) this.#passOn(t, worker)
      return
    }
    const said = kind as Report
    const done = await report(this.#room, t.id, shownBy(granted), REPORTS[said])
    equal(kind, done.ok, mine || this.#counted.get(granted) === said)
    if (!mine) return
    this.#counted.set(granted, said)
    worker.online = true
    if (said === 'complete') return this.#succeed(t, worker)
    this.#failed(t, said, worker)
  }

  #succeed(t: ModelTask, worker: ModelWorker): void {
    this.#release(t)
    Object.assign(worker, { failures: 0, breaker: 'closed', cooled: false })
    Object.assign(t, { state: 'completed', excluded: null, failedAt: null })
  }

  #failed(t: ModelTask, kind: Report, worker: ModelWorker): void {
    this.#release(t)
    if (kind === 'fail') this.#countAgainst(worker)
    if (kind === 'rate limit') worker.resting = true
    const isFinal = kind === 'fail for good'
    const spent = t.attempts >= MAX_ATTEMPTS
    const another = kind === 'rate limit' || (kind === 'fail' && t.failedAt === worker)
    Object.assign(t, {
      ...{ state: !isFinal && spent ? 'dead' : 'failed', waits: !isFinal && !spent, passed: false },
      ...{ excluded: another ? worker : null, failedAt: worker },
    })
  }

  #countAgainst(worker: ModelWorker): void {
    const half = worker.breaker === 'half_open' || (worker.breaker === 'open' && worker.cooled)
    worker.failures++
    if (half || (worker.breaker === 'closed' && worker.failures >= 3))
      Object.assign(worker, { breaker: 'open', cooled: false })
  }

  #release(t: ModelTask): void {
    if (t.worker) t.worker.active--
    Object.assign(t, { worker: null, lease: null, expired: false })
  }

  /** The lease has ended without an answer. */
  #passOn(t: ModelTask, worker: ModelWorker): void {
    this.#release(t)
    const spent = t.attempts >= MAX_ATTEMPTS
    Object.assign(t, {
      state: spent ? 'dead' : 'queued',
      failedAt: null,
      ...(spent ? {} : { excluded: worker }),
    })
  }

  async #expire(t: ModelTask): Promise<void> {
    await runOut(this.#room.db, (t.lease as Granted).lease.id)
    t.expired = true
  }

  async #reap(): Promise<void> {
    const over = this.tasks.filter((t) => t.lease && t.expired)
    equal('reaped', await reapTaskLeases(this.#room), over.length)
    for (const t of over) {
      const worker = t.worker as ModelWorker
      this.#passOn(t, worker)
      this.#countAgainst(worker)
    }
  }

  async #pass(t: ModelTask): Promise<void> {
    if (!t.waits && !t.delayed) return
    await passDelay(this.#room.db, t.id)
    Object.assign(t, { passed: t.waits, delayed: false })
  }

  async #retry(): Promise<void> {
    const due = this.tasks.filter((t) => t.state === 'failed' && t.waits && t.passed)
    equal('retried', await retryTasks(this.#room), due.length)
    for (const t of due) Object.assign(t, { state: 'queued', waits: false, passed: false })
  }

  async #operate(t: ModelTask, operation: 'requeue' | 'cancel'): Promise<void> {
    const use = operation === 'requeue' ? requeueTask : cancelTask
    const done = await use(this.#room.db, { taskId: t.id, reason: 'the walk' }, OPERATOR)
    const may =
      can(taskMachine, t.state, operation) && (operation === 'requeue' || t.state !== 'failed' || t.waits)
    equal(operation, done.ok, may)
    if (!done.ok) return
    this.#release(t)
    if (operation === 'cancel')
      Object.assign(t, { state: 'failed', fence: t.fence + 1, waits: false, delayed: false })
    else
      Object.assign(t, {
        state: 'queued',
        attempts: 0,
        waits: false,
        delayed: false,
        excluded: null,
        failedAt: null,
      })
  }

  async #drain(w: ModelWorker): Promise<void> {
    w.drained = !w.drained
    await this.#room.db.query(
      sql`UPDATE worker_node SET drained_at = ${w.drained ? sql`clock_timestamp()` : null} WHERE worker_id = ${w.id}`,
    )
  }

  async #markOffline(w: ModelWorker): Promise<void> {
    if (!w.online) return
    await this.#room.db.query(
      sql`UPDATE worker_node SET last_heartbeat_at = clock_timestamp() - interval '2 minutes' WHERE worker_id = ${w.id}`,
    )
    equal('lost', await markWorkersOffline(this.#room), 1)
    w.online = false
  }

  async #hear(w: ModelWorker): Promise<void> {
    await addWorker(this.#room.db, `w${w.max}`, { max: w.max })
    w.online = true
  }

  async #cool(w: ModelWorker): Promise<void> {
    if (w.breaker !== 'open') return
    await this.#room.db.query(
      sql`UPDATE worker_breaker SET open_until = clock_timestamp() - interval '1 second' WHERE worker_id = ${w.id}`,
    )
    w.cooled = true
  }

  async #endRest(w: ModelWorker): Promise<void> {
    await this.#room.db.query(sql`UPDATE worker_node SET rate_limited_until = NULL WHERE worker_id = ${w.id}`)
    w.resting = false
  }

  async #compare({ kind }: Command): Promise<void> {
    const open = this.tasks.slice(-3 * MAX_OPEN)
    const far = sql`clock_timestamp() + interval '1 hour'`
    const soon = sql`BETWEEN clock_timestamp() AND clock_timestamp() + interval '30 minutes'`
    const { rows } = await this.#room.db.query<{ id: string; summary: string }>(
      prepared(sql`WITH leases AS (UPDATE task_lease SET expires_at = ${far} WHERE status = 'active' AND expires_at ${soon}),
        delays AS (UPDATE llm_task SET retry_at = CASE WHEN retry_at ${soon} THEN ${far} ELSE retry_at END,
          not_before = CASE WHEN not_before ${soon} THEN ${far} ELSE not_before END WHERE retry_at ${soon} OR (status = 'queued' AND not_before ${soon})),
        breakers AS (UPDATE worker_breaker SET open_until = ${far} WHERE open_until ${soon}),
        workers AS (UPDATE worker_node SET rate_limited_until = CASE WHEN rate_limited_until ${soon} THEN ${far} ELSE rate_limited_until END,
          last_heartbeat_at = CASE WHEN offline_at IS NULL THEN clock_timestamp() ELSE last_heartbeat_at END)
        SELECT task_id::text AS id, status || ' attempts ' || attempts || ' fence ' || fence || (CASE WHEN retry_at IS NULL THEN '' ELSE ' waits' END) AS summary
          FROM llm_task WHERE task_id = ANY(${open.map((t) => t.id)}::uuid[])
        UNION ALL SELECT w.worker_id::text, 'active ' || w.active_leases || ' of ' || (SELECT count(*) FROM task_lease l WHERE l.worker_id = w.worker_id AND l.status = 'active')
          || ' ' || b.state || ' ' || b.failures FROM worker_node w JOIN worker_breaker b USING (worker_id)`),
    )
    for (const t of open) this.reached.add(t.state)
    const summary = new Map(rows.map((row) => [row.id, row.summary]))
    for (const t of open)
      equal(
        `after ${kind}: task ${t.id}`,
        summary.get(t.id),
        `${t.state} attempts ${t.attempts} fence ${t.fence}${t.waits ? ' waits' : ''}`,
      )
    for (const w of this.workers)
      equal(
        `after ${kind}: worker ${w.max}`,
        summary.get(w.id),
        `active ${w.active} of ${w.active} ${w.breaker} ${w.failures}`,
      )
  }
}

function equal(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)} instead of ${String(expected)}`)
}
