import path from 'node:path'
import { Worker } from 'node:worker_threads'
import type { NewFiles, Outcome } from './create-files.ts'

export type Batch = { number: number; files: NewFiles }
/** What the thread says of a batch. */
export type Answer = { outcomes: Outcome[] } | { fault: { message: string; code: string | undefined } }

type Waiting = { resolve: (outcomes: Outcome[]) => void; reject: (error: Error) => void }

/** A thread without work gives its memory back. */
const IDLE_MS = 30_000
/** Contents are handed over and lie outside of the thread's heap. */
const MEMORY = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }

/**
 * By path and put together here, since whoever bundles this file must neither follow it nor take what it might be for a pattern of files.
 * Every process that creates many files is started in the checkout.
 */
const ENTRY = ['server', 'adapters', 'file-system', 'create-files-thread.ts']

/**
 * A thread that creates files (`create-files.ts`), in batches that do not wait for each other. It is started by the first batch and ends when it has
 * been idle for a while, or with its process; an idle one does not keep the process. A thread that fails rejects what it was given, of which
 * then any part may stand, and the next batch starts another.
 */
export class FileThread {
  #worker: Worker | null = null
  #timer: NodeJS.Timeout | undefined
  #number = 0
  readonly #waiting = new Map<number, Waiting>()
  readonly #idleMs: number

  constructor({ idleMs = IDLE_MS } = {}) {
    this.#idleMs = idleMs
  }

  /** As `createFiles`. The bytes are handed over and are gone here. */
  create(files: NewFiles): Promise<Outcome[]> {
    return new Promise((resolve, reject) => {
      const worker = this.#started()
      clearTimeout(this.#timer)
      const batch: Batch = { number: this.#number++, files }
      this.#waiting.set(batch.number, { resolve, reject })
      worker.ref()
      worker.postMessage(batch, [files.bytes.buffer as ArrayBuffer])
    })
  }

  #started(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(/* turbopackIgnore: true */ path.resolve(...ENTRY), {
      env: { UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE },
      execArgv: [],
      name: 'files',
      resourceLimits: MEMORY,
    })
    worker.on('message', ({ number, answer }: { number: number; answer: Answer }) =>
      this.#hear(number, answer),
    )
    worker.on('error', (error) => this.#fail(worker, error))
    worker.on('exit', () => this.#fail(worker, new Error('the thread that creates files ended')))
    this.#worker = worker
    return worker
  }

  #hear(number: number, answer: Answer): void {
    const batch = this.#waiting.get(number)
    this.#waiting.delete(number)
    if (this.#waiting.size === 0) this.#rest()
    if ('outcomes' in answer) batch?.resolve(answer.outcomes)
    else batch?.reject(Object.assign(new Error(answer.fault.message), { code: answer.fault.code }))
  }

  #rest(): void {
    const worker = this.#worker
    worker?.unref()
    this.#timer = setTimeout(() => {
      this.#worker = null
      void worker?.terminate()
    }, this.#idleMs).unref()
  }

  #fail(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = null
    for (const batch of this.#waiting.values()) batch.reject(error)
    this.#waiting.clear()
  }
}
