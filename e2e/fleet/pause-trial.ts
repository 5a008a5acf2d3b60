/**
 * One try: a task goes to one of two nodes, which is stopped at a step until its lease is over and the other has the task; then it goes on.
 *
 *   created → stopped at the step → lease over → the other works → (its answer) → SIGCONT → refused, child ended → judged
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { PauseStep, Stage } from './pause-steps.ts'
import { endOfGroup } from './process-group.ts'
import type { TaskNode } from './task-node.ts'
import type { TaskRuntime } from './task-runtime.ts'
import type { Call, Listener, TaskWire } from './task-wire.ts'

/** Two nodes that nobody else shares tasks with. */
export type Pair = { label: string; nodes: readonly [TaskNode, TaskNode] }
export type Around = { wire: TaskWire; runtime: TaskRuntime; folder: string; random: () => number }

export type Tried = {
  step: string
  faults: string[]
  refusedBeats: number
  refusedReports: number
  /** It gave its lease up without being told. */
  gaveUp: boolean
  /** The same report again, answered as before. */
  repeats: number
  /** From SIGCONT to the end of the child's group, and from the first refusal that its node read; null where there was none to end. */
  endedAfterMs: number | null
  noticedAfterMs: number | null
}

const LEASE_AND_REAPER_MS = 90_000
const SETTLED_MS = 60_000
/** A child is dead so long after its node has noticed. */
const KILL_MS = 5_000
const EARLY_MS = 300

let tries = 0

/** @param variant three bits: whether the node goes on while the other works, whether the program ignores SIGTERM, whether the task's own time is over then */
export async function tryPause(
  pair: Pair,
  { step, variant }: { step: PauseStep; variant: number },
  around: Around,
): Promise<Tried> {
  const { wire, runtime, random } = around
  const folder = fs.mkdtempSync(path.join(around.folder, `try-${++tries}-`))
  const whileOtherWorks = step.time !== 'short' && (variant & 1) === 1
  const isShort = step.time === 'short' || (step.time !== 'long' && !whileOtherWorks && (variant & 4) === 4)
  const stubborn = step.stubborn || (variant & 2) === 2
  const file: Stage['file'] = (node, name) => path.join(folder, node.name, name)
  const leave: (() => void)[] = []
  const created = Promise.withResolvers<string>()
  const released = Promise.withResolvers<void>()
  const listen = (listener: Listener) => void leave.push(wire.add(listener))
  for (const { name } of pair.nodes) fs.mkdirSync(path.join(folder, name))
  await untilInLedger(`${pair.label} to be ready`, () => runtime.areReady(pair.nodes.map(({ name }) => name)))
  const stage: Stage = {
    nodes: pair.nodes,
    wire,
    listen,
    file,
    created: created.promise,
    released: released.promise,
  }
  try {
    const stopping = step.pause(stage)
    const taskId = await runtime.create(
      {
        prompt: `Say what the garden says.\nanswer ${stubborn ? 'stubborn ' : ''}in ${folder}`,
        context_id: pair.label,
        policy: {
          timeout_sec: isShort ? 4 + Math.floor(random() * 2) : 120,
          required_labels: [pair.label],
          retry: { base_delay_sec: 1 },
        },
      },
      () => pause(500),
    )
    created.resolve(taskId)
    if (step.answers) fs.writeFileSync(path.join(folder, 'go'), '')
    const stopped = await within(stopping, `${step.name}: no node`).catch(async (error: Error) => {
      const known = [
        await runtime.task(taskId),
        await runtime.leases(taskId),
        fs.readdirSync(folder, { recursive: true }),
      ]
      throw new Error(`${error.message}: ${JSON.stringify(known)}`)
    })
    const other = pair.nodes.find((node) => node !== stopped) as TaskNode
    const lease = (await runtime.leases(taskId)).findLast(({ worker }) => worker === stopped.name)
    if (!lease) throw new Error(`${step.name}: stopped without a lease`)
    const goes: Goes = { ...around, step, taskId, stopped, other, folder, file, leaseId: lease.lease_id }
    if (!isShort && !step.reported) await runtime.shorten(lease.lease_id)
    const resumed = step.reported
      ? await resumeAfterReport(goes, lease.expires_at)
      : await resumeAfterLease(goes, whileOtherWorks)
    released.resolve()
    const ended = await settle(goes, resumed)
    if (!step.reported) {
      fs.writeFileSync(file(other, 'go'), '')
      await untilCompleted(goes)
    }
    return await judge(goes, resumed, ended)
  } finally {
    released.resolve()
    for (const one of leave) one()
  }
}

type Goes = Around & {
  step: PauseStep
  taskId: string
  leaseId: string
  stopped: TaskNode
  other: TaskNode
  folder: string
  file: Stage['file']
}
/** Epoch and monotonic milliseconds of SIGCONT. */
type Resumed = { at: number }

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const late = pause(LEASE_AND_REAPER_MS, null, { ref: false })
  const first = await Promise.race([promise, late])
  if (first === null) throw new Error(`${what} came so far`)
  return first
}

function resume({ stopped }: Goes): Resumed {
  const at = performance.now()
  stopped.resume()
  return { at }
}

const untilOver = async ({ runtime, leaseId }: Goes, moreMs: number): Promise<void> => {
  for (let left = await runtime.leftOf(leaseId); left > -moreMs; left = await runtime.leftOf(leaseId))
    await pause(Math.max(20, left + moreMs))
}

const untilCompleted = ({ runtime, taskId, step }: Goes) =>
  untilInLedger(
    `${step.name}: the task to be completed`,
    async () => (await runtime.task(taskId)).status === 'completed',
  )

/** Asks seldom enough for many that ask at a time. */
const untilInLedger = (what: string, isSo: () => Promise<boolean>) =>
  waitUntil(async () => (await isSo()) || (await pause(300, false)), { what })

/** Its lease is over, and the other has begun, or is done. */
async function resumeAfterLease(goes: Goes, whileOtherWorks: boolean): Promise<Resumed> {
  const { step, stopped, other, file } = goes
  if (step.early && stopped.way === 'pull') {
    await untilOver(goes, EARLY_MS)
    return resume(goes)
  }
  if (!whileOtherWorks) fs.writeFileSync(file(other, 'go'), '')
  await waitUntil(() => fs.existsSync(file(other, 'group')), {
    what: `${step.name}: ${other.name} (${other.way}) to begin`,
    timeoutMs: LEASE_AND_REAPER_MS,
  })
  if (!whileOtherWorks) await untilCompleted(goes)
  return resume(goes)
}

/** The lease was released with the report; so long it would have lasted. */
async function resumeAfterReport(goes: Goes, leaseEnd: number): Promise<Resumed> {
  await untilCompleted(goes)
  await pause(Math.max(0, leaseEnd - Date.now()) + EARLY_MS)
  return resume(goes)
}

/** Until the node has said what became of the task and nothing of its work is left; when its child's group was gone, or null where none was. */
async function settle({ step, stopped, taskId, file, wire }: Goes, { at }: Resumed): Promise<number | null> {
  const group = fs.existsSync(file(stopped, 'group')) ? groupIn(file(stopped, 'group')) : null
  const gone = group === null ? null : endOfGroup(group, SETTLED_MS)
  // What was kept is reported by another part of the node, which has no slot.
  const last = new RegExp(`task ${taskId}: (?!started|reported after all|kept )`)
  await waitUntil(() => last.test(stopped.said) && wire.isQuiet(stopped.name, taskId), {
    what: `${step.name}: ${stopped.name} to say what became of ${taskId}`,
    timeoutMs: SETTLED_MS,
  }).catch((error: Error) => {
    const known = {
      lives: stopped.lives,
      late: callsOf(wire, stopped, taskId).filter(({ answeredAt }) => answeredAt >= at),
      said: stopped.said.slice(-1_500),
    }
    throw new Error(`${error.message}: ${JSON.stringify(known)}`)
  })
  const begun = group === null && fs.existsSync(file(stopped, 'group'))
  return begun ? await endOfGroup(groupIn(file(stopped, 'group')), SETTLED_MS) : await gone
}

const groupIn = (file: string): number => Number(fs.readFileSync(file, 'utf8'))

const callsOf = ({ calls }: TaskWire, { name }: TaskNode, taskId: string): Call[] =>
  calls.filter((call) => call.node === name && call.taskId === taskId)

/** The heartbeats and reports of a node about a task that were answered. */
const writesOf = (...of: Parameters<typeof callsOf>): Call[] =>
  callsOf(...of).filter(({ kind }) => kind === 'beat' || kind === 'complete')

async function judge(goes: Goes, { at }: Resumed, ended: number | null): Promise<Tried> {
  const { step, stopped, other, taskId, leaseId, runtime, wire, folder } = goes
  const sent = writesOf(wire, stopped, taskId)
  const writes = sent.filter(({ answeredAt }) => answeredAt >= at)
  const refused = writes.filter(({ status }) => status === 409)
  // A first heartbeat that the report overtook was refused before the pause, and recorded as well.
  const refusals = sent.filter(({ status }) => status === 409).length
  const accepted = writes.filter(({ status }) => status === 200)
  const recorded = await runtime.refusals(taskId, leaseId)
  const task = await runtime.task(taskId)
  // What was handed back was no attempt.
  const outcomes = (await runtime.leases(taskId))
    .map(({ outcome }) => outcome)
    .filter((outcome) => outcome !== 'handed_back')
    .join()
  const holder = step.reported ? stopped : other
  const said = stopped.said.split('\n').filter((line) => line.includes(taskId))
  // No contact for the lease's time is reason enough: such a node writes nothing.
  const gaveUp = said.some((line) => line.includes('the lease was lost'))
  // Of what it had sent before, the time to wait was over when it went on.
  const noticed = refused.find(({ beganAt }) => beganAt >= at)?.answeredAt ?? at
  const where = `${step.name}, ${stopped.name} (${stopped.way})`
  const faults = Object.entries({
    'no late write was refused, nor was the lease given up unasked':
      !step.reported && refused.length === 0 && !gaveUp,
    'a late write was accepted': !step.reported && accepted.length > 0,
    'a late write was refused after an accepted report': step.reported === true && refused.length > 0,
    [`${refusals} refusals, ${recorded} recorded`]: refusals !== recorded,
    [`the result is not that of ${holder.name}`]:
      task.worker !== holder.name || task.output !== `The answer of ${holder.name} to ${folder}`,
    'not one artifact': task.artifacts !== 1,
    [`the attempts ended as ${outcomes}`]: outcomes !== (step.reported ? 'completed' : 'expired,completed'),
    'the child outlived the refusal by more than 5 s': ended !== null && ended - noticed > KILL_MS,
    'a child is left': childrenOf(stopped.pid).length > 0,
    'the child did not end': ended === null && fs.existsSync(goes.file(stopped, 'group')),
  }).flatMap(([fault, is]) => (is ? [`${where}: ${fault}: ${JSON.stringify({ writes, said })}`] : []))
  const wasEnded = ended !== null && ended > at
  return {
    step: step.name,
    faults,
    refusedBeats: refused.filter(({ kind }) => kind === 'beat').length,
    refusedReports: refused.filter(({ kind }) => kind === 'complete').length,
    gaveUp: gaveUp && refused.length === 0,
    repeats: accepted.filter(({ kind }) => kind === 'complete').length,
    endedAfterMs: wasEnded ? ended - at : null,
    noticedAfterMs: wasEnded && refused.length > 0 ? Math.max(0, ended - noticed) : null,
  }
}

const childrenOf = (pid: number): number[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))
