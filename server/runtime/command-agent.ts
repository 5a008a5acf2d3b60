/** The agent of a worker: how it is, and restarting, updating or removing it where its node allows that [runtime#agents]. Nothing here counts as being heard. */
import { z } from 'zod'
import {
  type AgentCommand,
  type AgentCommanded,
  type AgentHealth,
  agentState,
} from '#contracts/runtime-settings.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { redact } from '#server/redaction/redact.ts'
import { type AgentAnswer, callAgent } from './call-agent.ts'
import { type CallTarget, callTargetOf } from './call-target.ts'

type Parts = { db: Db; env: { MEMBRIDGE_AGENT_KEY: string; ALLOW_INSECURE_LAN: boolean } }

const call = ({ env }: Parts, { url, key }: CallTarget, at: 'GET /health' | `POST /${string}`) =>
  callAgent({ url, key, at }, env)

/** What the agent says of itself. 400 or 409 for a worker that is not called, 404 without the worker; an agent that cannot be reached is an answer. */
export async function agentHealthOf(
  parts: Parts,
  workerId: string,
  now: () => number = Date.now,
): Promise<Result<AgentHealth>> {
  const worker = await callTargetOf(parts, workerId)
  if (!worker.ok) return worker
  const answer = await call(parts, worker.value, 'GET /health')
  const checked_at = now()
  if ('fault' in answer) return ok({ reachable: false, error: answer.fault, checked_at })
  const state = answer.status === 200 ? agentState.safeParse(redact(answer.json)) : null
  if (state?.success) return ok({ ...state.data, reachable: true, checked_at })
  return ok({ reachable: false, error: sentenceOf(answer), checked_at })
}

/** The route of the agent for each command. */
const ROUTE = {
  restart: 'POST /restart',
  update: 'POST /self-update',
  uninstall: 'POST /uninstall',
} as const satisfies Record<AgentCommand, string>

/**
 * Asks the agent. What was asked is recorded before anything is sent, and a failure after it. 403 where the node does not allow it, 502 where it cannot do it, or does not answer
 * as an agent does: then nothing is known of what happened there.
 */
export async function commandAgent(
  parts: Parts,
  { workerId, command, reason }: { workerId: string; command: AgentCommand; reason: string },
  caller: Caller,
): Promise<Result<AgentCommanded>> {
  const worker = await callTargetOf(parts, workerId)
  if (!worker.ok) return worker
  const event = { actor: caller, resource: { type: 'worker', id: workerId } }
  const details = { name: worker.value.name, command }
  await recordEvent(parts.db, { ...event, name: 'worker.agent_commanded', reason, details })
  const answer = await call(parts, worker.value, ROUTE[command])
  const done = doneOf(answer)
  if (done) return ok({ ...done, worker_id: workerId, command })
  const refusal = refusalOf(answer)
  await recordEvent(parts.db, {
    ...{ ...event, name: 'worker.agent_command_failed', outcome: 'error', errorCode: refusal.code },
    details: { ...details, cause: refusal.message },
  })
  return refuse(refusal)
}

const DETAIL_CHARACTERS = 500
const doneAnswer = z.object({
  ok: z.literal(true),
  dryrun: z.boolean().default(false),
  detail: z
    .string()
    .transform((detail) => detail.slice(0, DETAIL_CHARACTERS))
    .default(''),
})

function doneOf(answer: AgentAnswer): z.output<typeof doneAnswer> | null {
  if ('fault' in answer || answer.status !== 200) return null
  return doneAnswer.safeParse(redact(answer.json)).data ?? null
}

function refusalOf(answer: AgentAnswer): Refusal {
  if ('fault' in answer) return { code: 'UPSTREAM_UNAVAILABLE', message: answer.fault }
  const code = answer.status === 403 ? 'FORBIDDEN' : 'UPSTREAM_UNAVAILABLE'
  return { code, message: sentenceOf(answer) }
}

function sentenceOf({ status, detail }: Exclude<AgentAnswer, { fault: string }>): string {
  if (status === 401)
    return 'The agent refused the key (401). Check MEMBRIDGE_AGENT_KEY in the configuration of the node.'
  if (status === 404 || status === 405) return `The agent doesn't offer this (${status}). Do it on the node.`
  if (status === 200) return 'The agent answered with something that is no answer of an agent.'
  return redact(detail ? `The agent answered ${status}: ${detail}` : `The agent answered ${status}.`)
}
