import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export type WorkerProcess = {
  child: ChildProcess
  /** Settles when its loops are up; rejects when it ended before. */
  ready: Promise<void>
  /** Settles with the signal or code of its end. */
  ended: Promise<string | number | null>
  stop(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('./instant-worker.ts', import.meta.url))

/** Starts `instant-worker.ts` as a process of its own; `say` gets each line that it writes, `nodeOptions` are Node's own. */
export function startWorker(
  env: Record<string, string>,
  say: (line: string) => void = () => {},
  nodeOptions: readonly string[] = [],
): WorkerProcess {
  const child = spawn(process.execPath, [...nodeOptions, PROGRAM], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<string | number | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  )
  const ready = new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the worker ended before it was ready')))
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line === 'ready') resolve()
      else say(line)
    })
  })
  ready.catch(() => {})
  return {
    child,
    ready,
    ended,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
