import { z } from 'zod'
import { beatTarget } from '../agent/send-beat.ts'
import { EdgeFault } from '../fault.ts'
import type { NodeContext } from './node-context.ts'

/**
 * Grants: what a person at the Membridge Control Plane allows this node for a while [edge#grants]. Asked for under the key of the heartbeats; no redirect is
 * followed. Not knowing is not being allowed.
 */
const TIMEOUT_MS = 5_000

const GRANTS = z.array(z.object({ grant_id: z.string().max(64), node_id: z.string(), override: z.string() }))
const DETAIL = z.object({ detail: z.string() })

type Asked = { name: string; setting: string }

/** The grant of each of these overrides. Throws `EdgeFault` when one has none, or when nobody says so. */
export async function requireGrants(
  node: NodeContext,
  command: 'push' | 'pull',
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, string>> {
  const { settings, nodeId, project } = node
  const needs = (those: readonly Asked[]) =>
    `${those.map(({ setting }) => setting).join(', ')} needs a grant (MEMBRIDGE_REQUIRE_GRANT=1)`
  const again = `run membridge ${command} again`
  const { url, headers } = addressOf(node)
  if (headers === null)
    throw new EdgeFault(
      `${needs(asked)}, and without a key none can be asked for: set MEMBRIDGE_NODE_KEY and ${again}`,
    )
  const found = await readGrants(url, headers, node.stopped)
  if (typeof found === 'string')
    throw new EdgeFault(
      `${needs(asked)}, and ${settings.MEMBRIDGE_SERVER_URL} confirms none (${found}): see membridge doctor, and ${again}`,
    )
  const granted = new Map(
    found.filter((grant) => grant.node_id === nodeId).map(({ override, grant_id }) => [override, grant_id]),
  )
  const missing = asked.filter(({ name }) => !granted.has(name))
  if (missing.length === 0) return granted
  throw new EdgeFault(
    `${needs(missing)}, and ${nodeId} has none for ${project}: have it granted by POST ${url.split('?')[0]}, and ${again}; or unset it`,
  )
}

function addressOf({ settings, canonicalId, nodeId }: NodeContext) {
  const server = settings.MEMBRIDGE_SERVER_URL.replace(/\/+$/, '')
  const url = `${server}/projects/${canonicalId}/grants?node_id=${encodeURIComponent(nodeId)}`
  return { url, headers: beatTarget(settings)?.headers ?? null }
}

/** The grants that stand, or in a few words why nobody knows. */
async function readGrants(
  url: string,
  headers: Record<string, string>,
  stopped: AbortSignal,
): Promise<z.infer<typeof GRANTS> | string> {
  try {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)])
    const answer = await fetch(url, { headers, redirect: 'error', signal })
    const body: unknown = await answer.json().catch(() => null)
    if (answer.status !== 200)
      return DETAIL.safeParse(body).data?.detail.slice(0, 300) ?? `HTTP ${answer.status}`
    const grants = GRANTS.safeParse(body)
    return grants.success ? grants.data : 'the answer is not that of a control plane'
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? `no answer within ${TIMEOUT_MS / 1000} s` : 'no answer'
  }
}
