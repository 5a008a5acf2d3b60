/**
 * Where a node is stopped: before and after each step of what it does with a task. What a program can see it tells by files; the rest is known by what the
 * node reads, writes or sends.
 *
 *   1 validate, take a slot, load hints   2 start the program   3 heartbeats, alarm   4 parse and report   5 keep nothing
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { stopProcess } from './process-group.ts'
import type { TaskNode } from './task-node.ts'
import type { Call, CallKind, Listener, TaskWire } from './task-wire.ts'

/** What a step knows of the try that it is part of. */
export type Stage = {
  nodes: readonly TaskNode[]
  wire: TaskWire
  /** Listens on the wire until the try is over. */
  listen(listener: Listener): void
  /** Settles once the task is created, with its id. */
  created: Promise<string>
  /** Settles when the node goes on: until then what it sent is held. */
  released: Promise<void>
  /** A file that the program of a node writes or waits for. */
  file(node: TaskNode, name: 'group' | 'asked' | 'answered' | 'go'): string
}

export type PauseStep = {
  name: string
  /** The program answers at once; otherwise it waits to be told. */
  answers?: true
  /** The task has a time that is over while the node is stopped, or one that is not; either when not given. */
  time?: 'short' | 'long'
  stubborn?: true
  /** The report was accepted before the pause, so it is what stands. */
  reported?: true
  /** The node goes on as soon as its lease is over, and before its own request is. */
  early?: true
  /** Settles with the node that stands still there. */
  pause(stage: Stage): Promise<TaskNode>
}

type Moment = 'before' | 'after'

/** Stops the node at its n-th call of a kind: before it reaches the other side, which it then does when the node goes on, or before its answer reaches it. */
const atCall = (kind: CallKind, when: Moment, count = 1) => atEither([[kind, when]], count)

const atEither =
  (calls: readonly (readonly [CallKind, Moment])[], count = 1) =>
  (
    { nodes, listen, created, released }: Stage,
    isReady: (node: TaskNode) => boolean = () => true,
  ): Promise<TaskNode> => {
    const { promise, resolve } = Promise.withResolvers<TaskNode>()
    const seen = new Map<string, number>()
    let over = false
    const heed = async (call: Call, moment: Moment) => {
      const node = nodes.find(({ name }) => name === call.node)
      if (over || !node || !calls.some(([kind, when]) => kind === call.kind && when === moment)) return
      if (moment === 'after' && call.status !== 200) return
      // Another part of the node may still report on the task before.
      if (call.taskId !== (await created) || over) return
      seen.set(call.node, (seen.get(call.node) ?? 0) + 1)
      if (seen.get(call.node) !== count) return
      over = true
      await waitUntil(() => isReady(node), { what: `${node.name} to be ready` })
      await stopProcess(node.pid)
      resolve(node)
      // What the runtime sends to a node lies there until it reads again.
      if (moment === 'before' && call.kind !== 'execute') await released
    }
    listen({ before: (call) => heed(call, 'before'), after: (call) => heed(call, 'after') })
    return promise
  }

/** One that fetches begins to ask when the task is there: its request would be over before the pause is. */
function onItsWay(stage: Stage): Promise<TaskNode> {
  const stopped = atEither([
    ['fetch', 'after'],
    ['execute', 'before'],
  ])(stage)
  stage.listen({ before: ({ kind }) => (kind === 'fetch' ? stage.created.then(() => {}) : undefined) })
  for (const { name } of stage.nodes) stage.wire.nudge(name)
  return stopped
}

/** The node asks which projects it has once it took the task, and waits for the answer, since the file is a pipe. */
async function slotTaken({ nodes, created }: Stage): Promise<TaskNode> {
  for (const { projects } of nodes) execFileSync('mkfifo', [projects])
  try {
    const line = `task ${await created}: started`
    for (;;) {
      for (const node of nodes) {
        const pipe = openForReader(node.projects)
        if (pipe === null) continue
        // Heartbeats of the control plane ask the same, and are answered at once.
        const hasTask = await waitUntil(() => node.said.includes(line), { timeoutMs: 500 }).catch(() => false)
        if (hasTask) await stopProcess(node.pid)
        fs.writeSync(pipe, '{}')
        fs.closeSync(pipe)
        if (hasTask) return node
      }
      await pause(5)
    }
  } finally {
    for (const { projects } of nodes) fs.rmSync(projects)
  }
}

/** Null as long as nobody reads. */
function openForReader(pipe: string): number | null {
  try {
    return fs.openSync(pipe, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)
  } catch {
    return null
  }
}

/** The program was asked to end, and goes on. */
async function alarmed({ nodes, file }: Stage): Promise<TaskNode> {
  const node = await waitUntil(() => nodes.find((one) => fs.existsSync(file(one, 'asked'))), {
    what: 'the alarm',
  })
  await stopProcess(node.pid)
  return node
}

/** The program, which has read its prompt, answers and ends while the node stands still. */
async function answeredMeanwhile(stage: Stage): Promise<TaskNode> {
  const isBegun = (node: TaskNode) => fs.existsSync(stage.file(node, 'group'))
  const node = await atCall('beat', 'after')(stage, isBegun)
  fs.writeFileSync(stage.file(node, 'go'), '')
  await waitUntil(() => fs.existsSync(stage.file(node, 'answered')), { what: 'the answer' })
  return node
}

/** The file in which the outcome is kept appears before the report is sent; a report that was quicker is held. */
function outcomeKept({ nodes, listen, created, released }: Stage): Promise<TaskNode> {
  const { promise, resolve } = Promise.withResolvers<TaskNode>()
  let stopped: string | null = null
  const watchers = nodes.map((node) =>
    fs.watch(node.outcomes, async (_, name) => {
      const isOurs = name !== null && taskIn(path.join(node.outcomes, name)) === (await created)
      if (stopped !== null || !isOurs) return
      stopped = node.name
      await stopProcess(node.pid)
      for (const watcher of watchers) watcher.close()
      resolve(node)
    }),
  )
  listen({ before: (call) => (call.kind === 'complete' && call.node === stopped ? released : undefined) })
  return promise
}

/** Null for a file that is gone, or not whole. */
function taskIn(outcome: string): string | null {
  try {
    return outcome.endsWith('.json') ? JSON.parse(fs.readFileSync(outcome, 'utf8')).taskId : null
  } catch {
    return null
  }
}

async function slotFree({ nodes, created }: Stage): Promise<TaskNode> {
  const line = `task ${await created}: succeeded`
  const node = await waitUntil(() => nodes.find(({ said }) => said.includes(line)), { what: 'the report' })
  await stopProcess(node.pid)
  return node
}

export const PAUSE_STEPS: readonly PauseStep[] = [
  { name: 'before 1: on its way to the node', early: true, pause: onItsWay },
  { name: '1 to 2: slot taken, no program yet', pause: slotTaken },
  { name: '2 to 3: program runs, first heartbeat sent', pause: atCall('beat', 'before') },
  { name: 'in 3: first heartbeat answered', pause: atCall('beat', 'after') },
  { name: 'in 3: second heartbeat answered', time: 'long', pause: atCall('beat', 'after', 2) },
  { name: 'in 3: alarm, program asked to end', time: 'short', stubborn: true, pause: alarmed },
  { name: '3 to 4: program over, output not parsed', pause: answeredMeanwhile },
  { name: 'in 4: output parsed, outcome kept', answers: true, pause: outcomeKept },
  { name: 'in 4: report sent', answers: true, pause: atCall('complete', 'before') },
  {
    name: '4 to 5: report accepted, answer on its way',
    answers: true,
    reported: true,
    time: 'short',
    pause: atCall('complete', 'after'),
  },
  { name: 'after 5: slot free', answers: true, reported: true, time: 'short', pause: slotFree },
]
