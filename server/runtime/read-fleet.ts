/** What a control plane has of agents and nodes, read over its wire [runtime#workers]: two lists, and the nodes of each project. */
import type { z } from 'zod'
import { listedAgents, listedNodes, listedProjects } from '#contracts/control-plane-lists.contract.ts'
import { type Sighting, sightings } from '#domain/task/worker-sightings.rules.ts'
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts'
import { type CallParts, type ControlPlane, type Failed, withControlPlane } from './call-control-plane.ts'

const MAX_BYTES = 8 * 1024 * 1024
const AT_ONCE = 4

export type Fleet = { sightings: Sighting[] } | Failed

/** All or nothing: half a list would be taken for a fleet that has shrunk. */
export const readFleet = (target: { url: string; key: string }, parts: CallParts): Promise<Fleet> =>
  withControlPlane(target, { ...parts, maxBytes: MAX_BYTES }, async (plane) => {
    const agents = await listIn(plane, '/agents', listedAgents)
    if ('fault' in agents) return agents
    const projects = await listIn(plane, '/projects', listedProjects)
    if ('fault' in projects) return projects
    const ids = new Set(projects.items.map(({ canonical_id }) => canonical_id))
    const lists = await mapConcurrently([...ids], AT_ONCE, (id) =>
      listIn(plane, `/projects/${encodeURIComponent(id)}/nodes`, listedNodes),
    )
    const failed = lists.find((list) => 'fault' in list)
    if (failed) return failed
    const nodes = lists.flatMap((list) => ('items' in list ? list.items : []))
    return { sightings: sightings({ agents: agents.items, nodes }, agents.now) }
  })

/** `now`: the time at the control plane, in seconds since 1970; by this machine's clock where its answer has none. */
type Listed<Item> = { items: Item[]; now: number } | Failed

async function listIn<Item>(
  { get, refusalOf }: ControlPlane,
  path: string,
  list: z.ZodType<Item[]>,
): Promise<Listed<Item>> {
  const answer = await get(path)
  if ('fault' in answer) return answer
  // Some have no list of agents, or none of projects.
  if (answer.status === 404) return { items: [], now: nowAt(answer.headers.date) }
  const items = answer.status === 200 ? itemsIn(answer.body, list) : null
  return items ? { items, now: nowAt(answer.headers.date) } : refusalOf(answer.status)
}

const nowAt = (date: string | undefined): number => {
  const time = Date.parse(date ?? '')
  return (Number.isNaN(time) ? Date.now() : time) / 1_000
}

function itemsIn<Item>(body: Buffer, list: z.ZodType<Item[]>): Item[] | null {
  try {
    return list.safeParse(JSON.parse(body.toString('utf8'))).data ?? null
  } catch {
    return null
  }
}
