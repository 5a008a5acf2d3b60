import { setTimeout as pause } from 'node:timers/promises'
import type { Host } from '../host.ts'
import type { Executed } from './execute-task.ts'
import { forgetOutcome, keepOutcome, keptOutcomes } from './outcomes.ts'
import { type Reply, type Reporter, reporterAt, type Work } from './runtime-client.ts'

/** Pauses between the attempts of one report. */
const AGAIN_MS = [1_000, 2_000, 4_000]

type Parts = { host: Host; client: Reporter; say: (line: string) => void; runtimeUrl?: string }

/** Reports how a task ended; what does not get through is kept until its lease is over. */
export async function reportOutcome(
  { host, client, say, runtimeUrl }: Parts,
  { job, leaseId, fence, leaseSeconds }: Work,
  executed: Executed,
): Promise<void> {
  if (executed.kind === 'lost') {
    say(`task ${job.task_id}: the lease was lost, the work was thrown away`)
    return
  }
  const outcome = {
    ...{ taskId: job.task_id, leaseId, fence, report: executed.report },
    leaseUntil: Date.now() + leaseSeconds * 1_000,
    ...(runtimeUrl ? { runtimeUrl } : {}),
  }
  await keepOutcome(host, outcome)
  for (const waitMs of [0, ...AGAIN_MS]) {
    await pause(waitMs)
    const reply = await client.complete(outcome, outcome.report)
    if (reply.kind === 'unknown') continue
    await forgetOutcome(host, leaseId)
    say(`task ${job.task_id}: ${reply.kind === 'ok' ? executed.report.status : whyNot(reply)}`)
    return
  }
  say(`task ${job.task_id}: could not be reported, kept until its lease is over`)
}

/** Reports what is kept; `client` for what this node had fetched, null where it only was called. */
export async function reportKept({
  host,
  client,
  say,
}: Omit<Parts, 'client'> & { client: Reporter | null }): Promise<void> {
  for (const outcome of await keptOutcomes(host, Date.now())) {
    const reporter = outcome.runtimeUrl ? reporterAt(outcome.runtimeUrl) : client
    const reply = await reporter?.complete(outcome, outcome.report)
    if (!reply || reply.kind === 'unknown') continue
    await forgetOutcome(host, outcome.leaseId)
    const became = reply.kind === 'ok' ? 'reported after all' : `kept outcome ${whyNot(reply)}`
    say(`task ${outcome.taskId}: ${became}`)
  }
}

const whyNot = (reply: Exclude<Reply, { kind: 'ok' }>): string =>
  reply.kind === 'gone' ? 'reported too late' : `not taken: ${reply.why}`
