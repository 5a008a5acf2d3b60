/** A walk: runs the real use-cases against a real database, moves the model beside it, and compares after every command. */
import sql from 'sql-template-tag'
import { can } from '#domain/kernel/machine.ts'
import { type TaskState, taskMachine } from '#domain/task/task.machine.ts'
import { OPERATOR } from '#server/jobs/testing/queue-room.ts'
import { beatTask } from '../beat-task.ts'
import { handBack, reapTaskLeases, releaseByForce } from '../end-lease.ts'
import { type Granted, leaseTask } from '../lease-task.ts'
import { cancelTask, requeueTask } from '../operate-task.ts'
import { markWorkersOffline } from '../register-worker.ts'
import { retryTasks } from '../retry-tasks.ts'
import { RUNTIME } from '../runtime-rows.ts'
import { compareLedger, equal } from './compare-ledger.ts'
import { dyingAt } from './dying-database.ts'
import {
  ableOf,
  cancel,
  countAgainst,
  endByReport,
  grant,
  MAX_ATTEMPTS,
  type ModelTask,
  type ModelWorker,
  newModelTask,
  newModelWorker,
  passOn,
  REPORTS,
  type Report,
  requeue,
  returnUntaken,
} from './runtime-model.ts'
import {
  addTask,
  addWorker,
  MACHINE,
  passDelay,
  type RuntimeRoom,
  report,
  runOut,
  shownBy,
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
  'restart',
] as const
export type Command = { kind: (typeof KINDS)[number]; a: number; b: number }

const MAX_OPEN = 8
/** A lease and a report take at least so many in their transaction. */
const STATEMENTS = 4
const WORKERS = [1, 2, 3]

const rejected = async (work: Promise<unknown> | undefined): Promise<boolean> =>
  (await Promise.allSettled([work]))[0]?.status === 'rejected'

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
      this.workers.push(newModelWorker(await addWorker(this.#room.db, `w${max}`, { max }), max))
  }

  async step(command: Command): Promise<void> {
    await this.#run(command)
    const tasks = this.tasks.slice(-3 * MAX_OPEN)
    for (const t of tasks) this.reached.add(t.state)
    await compareLedger(this.#room.db, { tasks, workers: this.workers }, command.kind)
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
    if (kind === 'restart') return this.#restart(task, b)
    if (kind === 'expire') return task?.lease ? this.#expire(task) : undefined
    if (recent) return this.#holderSays(kind, recent.task, recent.granted)
  }

  async #create(): Promise<void> {
    if (this.tasks.filter((t) => ['queued', 'leased', 'running'].includes(t.state)).length >= MAX_OPEN) return
    this.tasks.push(newModelTask(await addTask(this.#room.db, { max_attempts: MAX_ATTEMPTS })))
  }

  async #lease(t: ModelTask, named: ModelWorker | null): Promise<void> {
    const able = ableOf(this.workers, t, named)
    const granted = await leaseTask(this.#room.db, { taskId: t.id, workerId: named?.id }, RUNTIME)
    equal('leased', granted.ok, t.state === 'queued' && !t.delayed && able.length > 0)
    if (!granted.ok) return
    const worker = this.workers.find((w) => w.id === granted.value.workerId) as ModelWorker
    equal('by one that could', able.includes(worker), true)
    grant(t, worker, granted.value)
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
      returnUntaken(t, worker)
      return
    }
    if (kind === 'force') {
      const done = await releaseByForce(this.#room.db, granted.lease.id, 'the walk', OPERATOR)
      equal('force', done, mine)
      if (done) passOn(t, worker)
      return
    }
    const said = kind as Report
    const done = await report(this.#room, t.id, shownBy(granted), REPORTS[said])
    equal(kind, done.ok, mine || this.#counted.get(granted) === said)
    if (!mine) return
    this.#counted.set(granted, said)
    endByReport(t, worker, said)
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
      passOn(t, worker)
      countAgainst(worker)
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
    if (done.ok) (operation === 'requeue' ? requeue : cancel)(t)
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

  /** The process dies in the middle of giving a task away, or of taking its answer: nothing of that stays, and the next process goes on from the ledger alone. */
  async #restart(t: ModelTask | undefined, b: number): Promise<void> {
    const db = dyingAt(this.#room.db, 1 + (b % STATEMENTS))
    const isDead = rejected(t && this.#attempt(t, { ...this.#room, db }))
    const reaches =
      t !== undefined &&
      (t.lease !== null || (t.state === 'queued' && !t.delayed && ableOf(this.workers, t, null).length > 0))
    equal('died', await isDead, reaches)
    await this.#room.restart()
  }

  #attempt(t: ModelTask, parts: RuntimeRoom): Promise<unknown> {
    if (t.lease) return report(parts, t.id, shownBy(t.lease), REPORTS.complete)
    return leaseTask(parts.db, { taskId: t.id }, RUNTIME)
  }

  async #endRest(w: ModelWorker): Promise<void> {
    await this.#room.db.query(sql`UPDATE worker_node SET rate_limited_until = NULL WHERE worker_id = ${w.id}`)
    w.resting = false
  }
}
