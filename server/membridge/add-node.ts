/**
 * Adds a node: makes its machine key and writes the text that joins it, once.
 *
 * The text names where the node finds the store and the control plane, as this installation knows them, and holds two keys: the node's own,
 * of which the ledger keeps a hash, and the one by which the node is called, which is derived and kept nowhere. Keys of the object store are not
 * in it: a person types in the node's own. The text is in this answer alone.
 */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AddedNode, AddNode, Reach } from '#contracts/node.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { renderJoinText } from '#domain/membridge/join-text.rules.ts'
import { createKey } from '#server/keys/create-key.ts'
import { nodeCallKey } from '#server/keys/node-call-key.ts'
import type { Services } from '#server/services.ts'

type AddEnv = Pick<
  Services['env'],
  'BLOOM_HOME' | 'MINIO_ENDPOINT' | 'MINIO_BUCKET' | 'MEMBRIDGE_URL' | 'MEMBRIDGE_AGENT_KEY'
>
/** What stands in the text for the name of a bucket where the store is a folder, which has none. */
const NO_BUCKET = 'bloom'
/** The region under which this installation speaks to its own store. */
const REGION = 'us-east-1'
const MAX_KEY_NAME = 100

export async function addNode(
  { db, env }: { db: Services['db']; env: AddEnv },
  { node_id, project, expires_in_days }: AddNode,
  caller: Caller,
): Promise<Result<AddedNode>> {
  const name = [...node_id].slice(0, MAX_KEY_NAME).join('')
  const key = { kind: 'node', node_id, name, expires_in_days } as const
  const made = await createKey({ db }, key, caller)
  if (!made.ok) return made
  const endpoint = env.MINIO_ENDPOINT ?? pathToFileURL(path.join(env.BLOOM_HOME, 'objects')).href
  const config = renderJoinText({
    MINIO_ENDPOINT: endpoint,
    MINIO_BUCKET: env.MINIO_BUCKET ?? NO_BUCKET,
    MINIO_REGION: REGION,
    MEMBRIDGE_SERVER_URL: env.MEMBRIDGE_URL,
    MEMBRIDGE_NODE_ID: node_id,
    MEMBRIDGE_NODE_KEY: made.value.secret,
    MEMBRIDGE_AGENT_KEY: nodeCallKey(env.MEMBRIDGE_AGENT_KEY, node_id),
    ...(project === undefined ? {} : { CLAUDE_PROJECT_ID: project }),
  })
  return ok({
    ...{ node_id, key_id: made.value.key.key_id, config },
    store: { kind: env.MINIO_ENDPOINT ? 's3' : 'folder', reach: reachOf(endpoint) },
    server: { url: env.MEMBRIDGE_URL, reach: reachOf(env.MEMBRIDGE_URL) },
  })
}

const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/i

/** From where an address of ours can be reached. */
function reachOf(address: string): Reach {
  const { protocol, hostname } = new URL(address)
  if (protocol === 'file:' || THIS_MACHINE.test(hostname)) return 'machine'
  return protocol === 'https:' ? 'network' : 'clear'
}
