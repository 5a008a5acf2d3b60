/**
 * What a control plane has of a Worker Node, by its name ([runtime#workers]): the agent that was registered there and the heartbeats of its node are one worker.
 *
 * Times are ages in seconds by the clock of the control plane, since the clocks of two machines are not compared.
 */
type Agent = {
  name: string
  url?: string | null | undefined
  status?: string | null | undefined
  registered_at: number | null
  last_seen: number | null
  capabilities?: Capabilities | null | undefined
  agent_version?: string | null | undefined
}
type Node = {
  node_id: string
  registered_at: number | null
  last_seen: number | null
  ip_addrs: readonly string[]
  agent_version?: string | null | undefined
}
type Capabilities = { claude_cli: boolean; max_concurrency: number; labels: string[] }

export type Sighting = {
  name: string
  url: string | null
  /** Null where none are declared. */
  capabilities: Capabilities | null
  ip_addrs: string[]
  agent_version: string | null
  /** Seconds since it was last heard; null where it never was. */
  silent_seconds: number | null
  /** Seconds since the control plane first knew it; null where it does not say. */
  known_ago: number | null
}

/** One for each name, sorted by it; `now` in seconds since 1970. A time that lies ahead counts as this moment. */
export function sightings(
  { agents, nodes }: { agents: readonly Agent[]; nodes: readonly Node[] },
  now: number,
): Sighting[] {
  const found = new Map<string, Sighting>()
  const registered = new Set(agents.map(({ name }) => name))
  const ago = (time: number | null) => (time === null ? null : Math.max(0, now - time))
  const at = (name: string): Sighting => {
    const known = found.get(name)
    if (known) return known
    const made = { ...NOTHING, name }
    found.set(name, made)
    return made
  }
  for (const agent of agents) {
    const seen = at(agent.name)
    seen.url = agent.url ?? null
    seen.capabilities = declared(agent.capabilities)
    seen.agent_version = agent.agent_version ?? null
    seen.silent_seconds = ago(agent.last_seen ?? (agent.status === 'online' ? agent.registered_at : null))
    seen.known_ago = ago(agent.registered_at)
  }
  // The freshest last: what it says stands.
  for (const node of [...nodes].sort((one, other) => (one.last_seen ?? 0) - (other.last_seen ?? 0))) {
    const seen = at(node.node_id)
    const silence = ago(node.last_seen)
    if (node.ip_addrs.length > 0) seen.ip_addrs = [...node.ip_addrs]
    seen.agent_version = node.agent_version ?? seen.agent_version
    seen.silent_seconds = least(seen.silent_seconds, silence)
    // An agent that was registered again is a new one, however long its node is known.
    if (!registered.has(node.node_id)) seen.known_ago = most(seen.known_ago, ago(node.registered_at))
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

const NOTHING: Omit<Sighting, 'name'> = {
  ...{
    url: null,
    capabilities: null,
    ip_addrs: [],
    agent_version: null,
    silent_seconds: null,
    known_ago: null,
  },
}

/** What a registration without capabilities gets says nothing of what the machine can do. */
const declared = (given: Capabilities | null | undefined): Capabilities | null =>
  given && (given.claude_cli || given.labels.length > 0 || given.max_concurrency > 1) ? given : null

const both =
  (choose: (one: number, other: number) => number) =>
  (one: number | null, other: number | null): number | null =>
    one === null ? other : other === null ? one : choose(one, other)
const least = both(Math.min)
const most = both(Math.max)
