import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { type NodeHome, openNodeHome } from '#worker/edge/testing/home-folder.ts'
import { addObservations, makeMemoryFile } from '#worker/edge/testing/memory-file.ts'

/** A node of a fleet: a home of its own, and the command line as a process that can be stopped and killed. */
const MAIN = fileURLToPath(import.meta.resolve('#worker/edge/main.ts'))

export type Ended = {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Milliseconds by the clock of this process. */
  began: number
  ended: number
}
export type Running = {
  child: ChildProcess
  /** What it has said so far. */
  said: () => string
  ended: Promise<Ended>
}

export class FleetNode {
  readonly id: string
  readonly home: NodeHome
  readonly database: string
  readonly #env: Record<string, string>
  #rows: number

  constructor(id: string, env: Record<string, string>, rows: number) {
    this.id = id
    this.home = openNodeHome()
    fs.mkdirSync(this.home.path('.claude-mem'))
    this.database = makeMemoryFile(this.home.path('.claude-mem/claude-mem.db'), { rows })
    this.#rows = rows
    this.#env = {
      ...env,
      MEMBRIDGE_NODE_ID: id,
      CLAUDE_MEM_DB: this.database,
      MEMBRIDGE_NO_RESTART_WORKER: '1',
    }
  }

  /** Adds observations that no other node has. */
  write(rows: number, from: number): void {
    const database = new DatabaseSync(this.database)
    addObservations(database, from, rows)
    database.close()
    this.#rows += rows
  }

  get rows(): number {
    return this.#rows
  }

  /**
   * Starts a command and leaves it to itself. With an input it has no terminal either: what it asks is answered by the input and not by whoever
   * runs this.
   */
  start(args: string[], input?: string): Running {
    const began = performance.now()
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: this.home.path(),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: input !== undefined,
      env: Object.assign(Object.create(null), { PATH: '/usr/bin:/bin', HOME: this.home.path() }, this.#env),
    })
    // Some end before they have read it.
    child.stdin?.on('error', () => {}).end(input)
    const text = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (part) => {
        text[name] += part
      })
    const ended = new Promise<Ended>((resolve) =>
      child.once('close', (code, signal) =>
        resolve({ code, signal, ...text, began, ended: performance.now() }),
      ),
    )
    return { child, said: () => text.stdout + text.stderr, ended }
  }

  run(args: string[], input?: string): Promise<Ended> {
    return this.start(args, input).ended
  }

  remove(): void {
    fs.rmSync(this.home.path(), { recursive: true, force: true })
  }
}
