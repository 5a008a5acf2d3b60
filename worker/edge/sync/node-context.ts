import { isNodeId, NODE_ID_FORM } from '#domain/membridge/identity.rules.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import type { CommandInput } from '../commands/command.ts'
import { loadSettings, required, type Settings } from '../config/settings.ts'
import { EdgeFault } from '../fault.ts'
import type { Host } from '../host.ts'
import { canonicalIdOf } from '../identity.ts'
import { openNodeStore } from '../store/open-node-store.ts'
import { realDatabase } from './one-sync.ts'

/** What a command that syncs, or asks who leads, works with: who this node is, which project, and the opened store. */
export type NodeContext = {
  host: Host
  settings: Settings
  project: string
  canonicalId: string
  nodeId: string
  store: ObjectStore
  /** Tells the person what goes on. */
  say: (line: string) => void
  stopped: AbortSignal
}

/** With the database file as well, links followed; it need not be there. */
export type SyncContext = NodeContext & { database: string }

/** Attempts of a call to the store, and time for each: a command may wait longer than a report. */
const LIMITS = { attempts: 4, timeoutMs: 10_000 }

type Asked = Pick<CommandInput, 'host' | 'given' | 'say' | 'stopped'>

/** Reads the settings and opens the store. Throws `EdgeFault`; no call is sent to the store yet. */
export async function openNode({ host, given, say, stopped }: Asked): Promise<NodeContext> {
  const { values: settings } = loadSettings(host, given)
  required(settings, 'MINIO_ENDPOINT')
  const project = required(settings, 'CLAUDE_PROJECT_ID')
  const nodeId = nodeIdOf(host, settings)
  const store = await openNodeStore(settings, LIMITS)
  return { host, settings, project, canonicalId: canonicalIdOf(project), nodeId, store, say, stopped }
}

export async function openSync(asked: Asked): Promise<SyncContext> {
  const { values } = loadSettings(asked.host, asked.given)
  required(values, 'MINIO_ENDPOINT')
  required(values, 'CLAUDE_PROJECT_ID')
  const database = await realDatabase(required(values, 'CLAUDE_MEM_DB'))
  return { ...(await openNode(asked)), database }
}

/** Identity is the node id; the host name stands in for it where none was given [edge#identity]. */
export function nodeIdOf(host: Pick<Host, 'name'>, { MEMBRIDGE_NODE_ID }: Settings): string {
  const nodeId = MEMBRIDGE_NODE_ID ?? host.name
  if (!isNodeId(nodeId)) throw new EdgeFault(`MEMBRIDGE_NODE_ID ${NODE_ID_FORM}`)
  return nodeId
}
