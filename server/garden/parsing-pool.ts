/**
 * Threads that parse, so that no text holds up the process that serves ([garden#budgets]). A parse that uses more processor time or
 * memory than the budget is ended together with its thread, and a fresh one takes the next text. Processor time, because on a busy
 * machine a good text would fail by the clock; that is also why no pool of the shelf serves, which know a task by its wall time alone.
 */
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { type BudgetName, NOTE_BUDGET } from '#domain/garden/note-budget.rules.ts'

export type Task = { kind: 'parse'; text: string } | { kind: 'render'; text: string; title: boolean }
/** What the thread says: the result and about the bytes it takes, or the budget that the text passes; and the processor time of the thread so far. */
export type Answer = { value?: unknown; bytes?: number; fault?: BudgetName; cpuMs: number }
/** `kept` is false where the text may have done nothing wrong: the machine had no time for it. */
export type Outcome = { value: unknown; bytes: number } | { fault: BudgetName; kept: boolean }

const MAX_THREADS = 2
/** Threads that may read ahead at once: a core is left to the process that serves, and mostly a thread to who waits. */
const MAX_AHEAD = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1))
/** A thread without work gives its memory back. */
const IDLE_MS = 30_000
const LOOK_MS = 25
/** However little processor time a text has had, a request does not wait longer. */
const WALL_MS = 20 * NOTE_BUDGET.time

/** By path, since the bundle of the pages does not hold it; every process of the product is started in the checkout. */
const ENTRY = path.join(process.cwd(), 'server', 'garden', 'parsing-thread.ts')

type Job = { task: Task; ahead: boolean; resolve: (outcome: Outcome) => void; reject: (error: Error) => void }

/** What runs in the threads, the longest that a text may wait for its time, and a thread for a text, and the memory it has; given by tests alone. */
type Options = { entry?: string; wallMs?: number; idleMs?: number; memoryMb?: number }

export class ParsingPool {
  /** What somebody waits for, and what is read ahead. */
  readonly #wanted: Job[] = []
  readonly #ahead: Job[] = []
  readonly #threads = new Set<ParsingThread>()
  readonly #options: Required<Options>

  constructor({
    entry = ENTRY,
    wallMs = WALL_MS,
    idleMs = IDLE_MS,
    memoryMb = NOTE_BUDGET.memory,
  }: Options = {}) {
    this.#options = { entry, wallMs, idleMs, memoryMb }
  }

  /** Texts that somebody waits for go before those `ahead`, which belong to a garden that is read as a whole. */
  run(task: Task, ahead = false): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const queue = ahead ? this.#ahead : this.#wanted
      queue.push({ task, ahead, resolve, reject })
      this.#advance()
    })
  }

  /** Somebody waits for a text that was to be read ahead. */
  hasten(task: Task): void {
    const at = this.#ahead.findIndex((job) => job.task === task)
    const [job] = at < 0 ? [] : this.#ahead.splice(at, 1)
    if (!job) return
    this.#wanted.push({ ...job, ahead: false })
    this.#advance()
  }

  /** Ends the threads that have no work; what waits is still done. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads].filter((thread) => thread.idle).map((thread) => thread.end()))
  }

  #advance(): void {
    for (const thread of this.#threads) {
      if (!thread.idle) continue
      const job = this.#wanted.shift() ?? (this.#mayReadAhead() ? this.#ahead.shift() : undefined)
      if (!job) return
      thread.take(job)
    }
    const waiting = this.#wanted.length + (this.#mayReadAhead() ? this.#ahead.length : 0)
    const starting = [...this.#threads].filter((thread) => thread.starting).length
    if (waiting > starting && this.#threads.size < MAX_THREADS) this.#start()
  }

  #mayReadAhead(): boolean {
    return [...this.#threads].filter((thread) => thread.readsAhead).length < MAX_AHEAD
  }

  #start(): void {
    const thread = new ParsingThread(this.#options, {
      onIdle: () => this.#advance(),
      onEnd: (failed) => {
        this.#threads.delete(thread)
        // A thread that cannot even start would fail again and again: whoever waits hears it.
        if (failed)
          for (const job of [...this.#wanted.splice(0), ...this.#ahead.splice(0)]) job.reject(failed)
        this.#advance()
      },
    })
    this.#threads.add(thread)
  }
}

type Listener = { onIdle: () => void; onEnd: (failed: Error | null) => void }

/** One thread and the text it is at. */
class ParsingThread {
  readonly #worker: Worker
  readonly #wallMs: number
  readonly #idleMs: number
  readonly #listener: Listener
  #state: 'starting' | 'idle' | 'busy' | 'ended' = 'starting'
  #job: Job | null = null
  #cpuMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ entry, wallMs, idleMs, memoryMb }: Required<Options>, listener: Listener) {
    this.#wallMs = wallMs
    this.#idleMs = idleMs
    this.#listener = listener
    this.#worker = new Worker(entry, {
      env: {},
      execArgv: [],
      name: 'parsing',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
    })
    this.#worker.on('message', (answer: Answer) => this.#hear(answer))
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#fall(error))
    this.#worker.on('exit', () => this.#fall(new Error('the parsing thread ended')))
  }

  get idle(): boolean {
    return this.#state === 'idle'
  }

  get readsAhead(): boolean {
    return this.#job?.ahead === true
  }

  get starting(): boolean {
    return this.#state === 'starting'
  }

  take(job: Job): void {
    clearTimeout(this.#timer)
    this.#state = 'busy'
    this.#job = job
    this.#worker.ref()
    this.#worker.postMessage(job.task)
    this.#lookLater(NOTE_BUDGET.time, performance.now())
  }

  async end(): Promise<void> {
    this.#leave(null)
    await this.#worker.terminate()
  }

  #hear({ value, bytes = 0, fault, cpuMs }: Answer): void {
    if (this.#state === 'ended') return
    clearTimeout(this.#timer)
    this.#cpuMs = cpuMs
    const job = this.#job
    this.#job = null
    this.#state = 'idle'
    this.#worker.unref()
    this.#timer = setTimeout(() => void this.end(), this.#idleMs).unref()
    job?.resolve(fault === undefined ? { value, bytes } : { fault, kept: true })
    this.#listener.onIdle()
  }

  #lookLater(ms: number, since: number): void {
    this.#timer = setTimeout(() => void this.#look(since), ms)
  }

  /** Ends the thread when its text has had its time. */
  async #look(since: number): Promise<void> {
    const job = this.#job
    const used = await this.#used()
    if (this.#job !== job || used === null) return
    const left = NOTE_BUDGET.time - used
    const late = performance.now() - since > this.#wallMs
    if (left > 0 && !late) return this.#lookLater(Math.max(LOOK_MS, left), since)
    this.#finish('time', left <= 0)
    await this.end()
  }

  /** Processor time since the text was taken; null when the thread is gone. */
  async #used(): Promise<number | null> {
    try {
      const { user, system } = await this.#worker.cpuUsage()
      return (user + system) / 1000 - this.#cpuMs
    } catch {
      return null
    }
  }

  #fall(error: NodeJS.ErrnoException): void {
    const began = this.#state !== 'starting'
    this.#finish(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'faults', true)
    this.#leave(began ? null : error)
  }

  #finish(fault: BudgetName, kept: boolean): void {
    const job = this.#job
    this.#job = null
    job?.resolve({ fault, kept })
  }

  #leave(failed: Error | null): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    clearTimeout(this.#timer)
    this.#listener.onEnd(failed)
  }
}
