import type { NodeFilter } from '#contracts/node.contract.ts'
import { isCanonicalId } from '#domain/membridge/identity.rules.ts'
import { NODE_STATES } from '#domain/membridge/liveness.rules.ts'

export const NODE_FILTERS = ['state', 'project', 'q'] as const

/** The filter from the URL; the server and the browser build it alike. What does not fit is left out. */
export function nodesInput(values: Readonly<Record<string, string | null | undefined>>): NodeFilter {
  const state = NODE_STATES.find((one) => one === values.state)
  const { project, q } = values
  return {
    ...(state ? { state } : {}),
    ...(project && isCanonicalId(project) ? { project } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
  }
}

/** The page of a node. */
export const nodeHref = (nodeId: string): string => `/nodes/${encodeURIComponent(nodeId)}`
