/** What tests of `membridge work` share: the whole gateway over HTTP, real processes for nodes, and tasks for them. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import sql from 'sql-template-tag'
import { taskRequest } from '#contracts/llm-task.contract.ts'
import { stampPeerAddresses } from '#server/http/peer-address.ts'
import { wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { COMPILED } from '#server/launch/testing/compiled.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { NOTES } from '#server/proposals/testing/garden-kit.ts'
import { AGENT_FILE } from '#server/runs/testing/run-kit.ts'
import { createTask } from '#server/runtime/create-task.ts'
import { getTask } from '#server/runtime/runtime-lists.query.ts'
import { RUNTIME } from '#server/runtime/runtime-rows.ts'
import { onPort } from '#server/runtime/testing/scripted-node.ts'
import type { NodeHome } from './home-folder.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')
/** Does what the last line of its prompt says. */
export const PROGRAM = path.join(import.meta.dirname, 'answer-prompt.sh')
/** Stands in the environment of every node, under names of secrets. */
export const CANARY = 'canary-4711'

/** The instructions of the agent in whose name the tasks are done; a shell would make something of them. */
export const WRITER = 'Write $(id) briefly; `id` never.'

export type TaskNode = {
  said(): string
  pid: number
  stop(signal?: NodeJS.Signals): Promise<number | null>
}
export type TaskRoom = Awaited<ReturnType<typeof openTaskRoom>>

const ENDED: readonly string[] = ['completed', 'failed', 'dead']

export async function openTaskRoom() {
  stampPeerAddresses()
  const writer = AGENT_FILE('writer', '', undefined, WRITER)
  const whole = await wholeGateway({ ...NOTES, 'agents/writer/_agent.md': writer })
  const gateway = await onPort(whole.app)
  const { db, env } = whole.services
  const nodes: TaskNode[] = []
  const own = { BLOOM_RUNTIME_URL: gateway.url, RUNTIME_API_KEY: env.RUNTIME_API_KEY, CLAUDE_BIN: PROGRAM }

  async function addTask(lastLine: string, more: object = {}): Promise<string> {
    const request = taskRequest.parse({
      context_id: 'garden',
      agent_slug: 'writer',
      prompt: `Do this:\n${lastLine}`,
      ...more,
    })
    const made = await createTask(db, request, RUNTIME)
    if (!made.ok) throw new Error(made.refusal.message)
    return made.value.task.id
  }
  const task = async (id: string) => {
    const found = await getTask(db, id)
    if (!found) throw new Error('no task')
    return found
  }

  return {
    whole,
    gateway,
    /** What a node needs to know of the gateway. */
    own,
    addTask,
    task,
    /** What became of a task once a node has had it. */
    async answered(lastLine: string, more: object = {}) {
      const id = await addTask(lastLine, more)
      await waitUntil(async () => ENDED.includes((await task(id)).status), { what: 'an answer' })
      return task(id)
    },
    start(home: NodeHome, args: string[] = [], more: Record<string, string> = {}): TaskNode {
      const secrets = { MINIO_SECRET_KEY: CANARY, ANTHROPIC_API_KEY: CANARY }
      const given = { ...COMPILED, ...own, ...secrets, MEMBRIDGE_NODE_ID: 'node-1', ...more }
      const node = startNode(home, args, given)
      nodes.push(node)
      return node
    },
    async stopNodes() {
      for (const node of nodes.splice(0)) await node.stop('SIGKILL')
    },
    /** Tests ask more often than a machine may. */
    clearLimits: () => db.query(sql`DELETE FROM rate_slice`),
    async close() {
      await gateway.close()
      await whole.close()
    },
  }
}

function startNode(home: NodeHome, args: string[], given: Record<string, string>): TaskNode {
  const child = spawn(process.execPath, [MAIN, 'work', ...args], {
    cwd: home.path(),
    env: Object.assign(Object.create(null), { PATH: '/usr/bin:/bin', HOME: home.path() }, given),
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    said: () => said,
    pid: child.pid as number,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return closed
    },
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !fs.readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** The process id that a program has written into a file. */
export async function pidIn(file: string): Promise<number> {
  await waitUntil(async () => fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim() !== '', {
    what: 'the program to run',
  })
  return Number(fs.readFileSync(file, 'utf8'))
}
