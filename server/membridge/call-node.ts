/**
 * One call to the agent of a node [membridge#calls-to-nodes]: to its registered address and nowhere else, without redirects, bounded in time and size.
 */
import type { SyncAction } from '#domain/membridge/sync.machine.ts'
import { NODE_ANSWER_SECONDS } from '#domain/membridge/sync.rules.ts'
import {
  createGuardedFetch,
  OutboundFailed,
  OutboundRefused,
  type RefusalReason,
} from '#server/outbound/guarded-fetch.ts'
import { NODE_NETWORKS, NOT_CALLABLE } from './node-address.ts'
import { detailIn, type NodeReport, readNodeReport } from './node-report.ts'

const CONNECT_MS = 10_000
const MAX_BYTES = 1024 * 1024

export type NodeCall = {
  action: SyncAction
  /** The registered address of the agent, without a slash at its end. */
  url: string
  key: string
  project: string
  requestId: string | null
  waitMs?: number | undefined
}

/** The report of the node, or a sentence that says why there is none. */
export type NodeAnswer = { report: NodeReport } | { fault: string }

export async function callNode({ action, url, key, ...call }: NodeCall): Promise<NodeAnswer> {
  const { origin } = new URL(url)
  const waitMs = call.waitMs ?? NODE_ANSWER_SECONDS * 1_000
  const node = createGuardedFetch({
    ...{ origins: [origin], addresses: NODE_NETWORKS, maxBytes: MAX_BYTES },
    ...{ timeoutMs: waitMs, connectMs: Math.min(CONNECT_MS, waitMs) },
  })
  try {
    const answer = await node.fetch(`${url}/sync/${action}`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'x-membridge-agent': key },
        ...(call.requestId ? { 'x-request-id': call.requestId } : {}),
      },
      body: JSON.stringify({ project: call.project, no_restart_worker: true }),
    })
    return answerOf(answer, origin)
  } catch (error) {
    return { fault: faultOf(error) }
  } finally {
    await node.close()
  }
}

function answerOf({ status, body }: { status: number; body: Buffer }, origin: string): NodeAnswer {
  if (status === 401 || status === 403)
    return { fault: `The agent at ${origin} refused the key (${status}). ${WRONG_KEY}` }
  if (status !== 200) {
    const detail = detailIn(body)
    return { fault: `The agent at ${origin} answered ${status}${detail ? `: ${detail}` : '.'}` }
  }
  const report = readNodeReport(body)
  return report
    ? { report }
    : {
        fault: `The agent at ${origin} answered with something that is no report of a sync. ${WRONG_ADDRESS}`,
      }
}

const WRONG_KEY = 'Check MEMBRIDGE_AGENT_KEY in the configuration of the node.'
const WRONG_ADDRESS = 'Check that its registered address is that of a Membridge agent.'

const REFUSED: Record<RefusalReason, string> = {
  origin: `The agent wasn't called. ${NOT_CALLABLE}`,
  address: `The agent wasn't called: its name leads to an address where no node is called. Register another address.`,
  redirect:
    'The agent answered with a redirect, which is not followed. Register the address that it leads to.',
  size: `The answer of the agent is larger than ${MAX_BYTES / 1024 / 1024} MiB. ${WRONG_ADDRESS}`,
  type: `The answer of the agent is neither JSON nor text, or compressed. ${WRONG_ADDRESS}`,
}

function faultOf(error: unknown): string {
  if (error instanceof OutboundRefused) return REFUSED[error.reason]
  if (error instanceof OutboundFailed)
    return `${error.message}. Check that the agent runs and can be reached.`
  throw error
}
