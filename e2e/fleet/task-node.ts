import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { nodeCallKey } from '#server/keys/node-call-key.ts'

/**
 * A Worker Node that runs LLM Tasks, as a real process in a home of its own that is named like it: `pull` is `membridge work`, which fetches them, `push`
 * the agent, which is called for them.
 */
export type TaskNodePlan = {
  name: string
  way: 'pull' | 'push'
  /** The command line that nodes run. */
  main: string
  /** The executable that answers prompts. */
  program: string
  /** Where its home is made. */
  folder: string
  /** Where it reaches the runtime, and, called, how the runtime reaches it. */
  runtimeUrl: string
  agentUrl: string
  agentPort: number
  /** Its own machine key, and the main key under which nodes are called. */
  nodeKey: string
  agentKey: string
  labels?: string
  concurrency?: number
}

/** Those that run: stopped ones would outlive whoever started them. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

export class TaskNode {
  readonly name: string
  readonly way: 'pull' | 'push'
  readonly home: string
  readonly #plan: TaskNodePlan
  #child: ChildProcess | null = null
  #said = ''

  constructor(plan: TaskNodePlan) {
    this.#plan = plan
    this.name = plan.name
    this.way = plan.way
    this.home = path.join(plan.folder, plan.name)
    fs.mkdirSync(path.join(this.home, 'tmp'), { recursive: true })
    fs.mkdirSync(this.outcomes, { recursive: true, mode: 0o700 })
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  get lives(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** What it has written since it was first started. */
  get said(): string {
    return this.#said
  }

  /** Where it keeps the ends of tasks that are not reported. */
  get outcomes(): string {
    return path.join(this.home, '.membridge/outcomes')
  }

  /** The projects that are registered here; none, as long as there is no such file. */
  get projects(): string {
    return path.join(this.home, '.membridge/agent_projects.json')
  }

  start(): void {
    const { name, way, main, program, runtimeUrl, agentUrl, agentPort, nodeKey, agentKey } = this.#plan
    const own = {
      ...{ MEMBRIDGE_NODE_ID: name, MEMBRIDGE_NODE_KEY: nodeKey, BLOOM_RUNTIME_URL: runtimeUrl },
      ...{ MEMBRIDGE_WORK: way, MEMBRIDGE_AGENT_URL: agentUrl, MEMBRIDGE_AGENT_PORT: String(agentPort) },
      MEMBRIDGE_AGENT_KEY: nodeCallKey(agentKey, name),
      MEMBRIDGE_WORK_CONCURRENCY: String(this.#plan.concurrency ?? 1),
      MEMBRIDGE_WORK_LABELS: this.#plan.labels ?? '',
      CLAUDE_BIN: program,
      // Heartbeats of the control plane are another matter: nobody listens there.
      ...{ MEMBRIDGE_SERVER_URL: 'http://127.0.0.1:9', MEMBRIDGE_HEARTBEAT_INTERVAL_SECONDS: '3600' },
    }
    const base = { PATH: '/usr/bin:/bin', HOME: this.home, TMPDIR: path.join(this.home, 'tmp') }
    this.#child = spawn(process.execPath, [main, way === 'pull' ? 'work' : 'agent'], {
      cwd: this.home,
      env: Object.assign(Object.create(null), base, own),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const child = this.#child
    running.add(child)
    child.once('exit', () => running.delete(child))
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text
      })
  }

  /** Ends it at once, also while it stands still. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }
}
