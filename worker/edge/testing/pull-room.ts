import fs from 'node:fs'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { MACHINE_CLOCK } from '#server/leadership/run-protocol.ts'
import { sourceOf } from '#server/ports/byte-source.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { type Printed, printFault, runCommandLine } from '../command-line.ts'
import { runPull } from '../commands/pull.command.ts'
import { canonicalIdOf } from '../identity.ts'
import type { PullStep } from '../pull/pull.ts'
import { takeSnapshot } from '../sqlite/snapshot.ts'
import type { NodeHome } from './home-folder.ts'
import { change, type MemoryFile, makeMemoryFile } from './memory-file.ts'
import { makeNodeHome } from './node-home.ts'

export const KEYS = projectKeys(canonicalIdOf('mem'))

/** What a push left in the store, and the file it was made of. */
export type Pushed = { file: string; sha256: string; manifest: Record<string, unknown> }

/** A node with a database, and a store in which another node leads. */
export type PullRoom = {
  node: NodeHome
  store: ObjectStore
  database: string
  env: NodeJS.ProcessEnv & Record<string, string>
  /** Puts a copy into the store as a push does; `old` as nodes of today do; `bytes` makes it so much larger. */
  push(remote: MemoryFile, how?: { old?: boolean; manifest?: object; bytes?: number }): Promise<Pushed>
  /** Writes an object over what stands there. */
  put(key: string, content: string | Uint8Array | object): Promise<void>
  pull(args?: string[], env?: Record<string, string>, name?: string): Promise<Printed>
  /** A pull that does not wait for real, and whose steps are told. */
  pullWith(seams: PullSeams): Promise<Printed & { said: string[] }>
}

export type PullSeams = {
  flags?: Record<string, boolean>
  env?: Record<string, string>
  onStep?: (step: PullStep) => unknown
  onPause?: () => Promise<void> | void
  stopped?: AbortSignal
}

/** The lease of a node, as it stands in the store. */
export const leaseOf = (node: string, more: object = {}) => ({
  canonical_id: canonicalIdOf('mem'),
  primary_node_id: node,
  issued_at: 1_700_000_000,
  expires_at: 1_700_003_600,
  lease_seconds: 3600,
  epoch: 1,
  term: 1,
  ...more,
})

/** Opens the room; without `store` it is a folder of the node's. */
export async function openPullRoom(
  local: MemoryFile | null,
  outside?: { store: ObjectStore; env: Record<string, string> },
): Promise<PullRoom> {
  const node = makeNodeHome()
  fs.mkdirSync(node.path('memory'))
  if (!outside) fs.mkdirSync(node.path('store'))
  const store = outside?.store ?? (await openDirectoryStore(node.path('store')))
  const database = node.path('memory', 'claude-mem.db')
  if (local) makeMemoryFile(database, local)
  const env: PullRoom['env'] = Object.assign(Object.create(null), {
    CLAUDE_PROJECT_ID: 'mem',
    CLAUDE_MEM_DB: database,
    CLAUDE_MEM_WORKER_PORT: '1',
    MEMBRIDGE_NODE_ID: 'here',
    HOME: node.host.home,
    PATH: '/usr/bin:/bin',
    ...(outside?.env ?? { MINIO_ENDPOINT: `file://${node.path('store')}` }),
  })
  const put: PullRoom['put'] = async (key, content) => {
    await store.remove(key)
    await store.createFrom(key, sourceOf(bytesOf(content)))
  }
  await put(KEYS.lease, leaseOf('there'))
  const hostWith = (more: Record<string, string> = {}) => ({
    ...node.host,
    uid: 99,
    env: { ...env, ...more },
  })
  const push: PullRoom['push'] = async (remote, { old = false, manifest = {}, bytes: padding = 0 } = {}) => {
    const pushed = await snapshotOf(node, remote, { old, padding })
    const named = { ...pushed.manifest, ...manifest }
    const bytes = fs.readFileSync(pushed.file)
    await put(old ? KEYS.mirror : KEYS.snapshot(pushed.sha256), bytes)
    if (old) await put(KEYS.mirrorSha, `${pushed.sha256}  claude-mem.db\n`)
    await put(KEYS.pointer, named)
    return { ...pushed, manifest: named }
  }
  const pullWith: PullRoom['pullWith'] = async ({ flags = {}, env: more, onStep, onPause, stopped }) => {
    const said: string[] = []
    const pause = async () => void (await onPause?.())
    const host = hostWith(more)
    const signal = stopped ?? new AbortController().signal
    const input = { host, given: {}, flags, words: [], say: (line: string) => void said.push(line) }
    const seams = { clock: { ...MACHINE_CLOCK, pause }, ...(onStep && { onStep }) }
    try {
      const { exitCode, lines, json } = await runPull({ ...input, stopped: signal }, seams)
      return { exitCode, stdout: `${lines.join('\n')}\n${JSON.stringify(json)}`, stderr: '', said }
    } catch (error) {
      return { ...printFault(error, false), said }
    }
  }
  const pull: PullRoom['pull'] = (args = [], more = {}, name = 'pull') =>
    runCommandLine([name, ...args], hostWith(more))
  return { node, store, database, env, push, put, pull, pullWith }
}

let made = 0

const bytesOf = (content: string | Uint8Array | object): Uint8Array =>
  content instanceof Uint8Array
    ? content
    : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content, null, 2))

async function snapshotOf(
  node: NodeHome,
  remote: MemoryFile,
  { old, padding }: { old: boolean; padding: number },
): Promise<Pushed> {
  const original = makeMemoryFile(node.path(`remote-${++made}.db`), remote)
  if (padding > 0)
    change(original, `UPDATE user_prompts SET prompt_text = hex(randomblob(${padding / 2})) WHERE id = 1`)
  const {
    path: file,
    sha256,
    contentSha256,
    counts,
    bytes,
  } = await takeSnapshot(original, { maxBytes: 2 ** 31 })
  const today = {
    project: 'mem',
    canonical_id: canonicalIdOf('mem'),
    timestamp: '2026-03-04T05:06:07Z',
    source_host: 'there',
    db_size: bytes,
    sha256,
    ...counts,
  }
  const added = {
    push_id: `push-${made}`,
    node_id: 'there',
    epoch: 1,
    term: 1,
    content_sha256: contentSha256,
  }
  return { file, sha256, manifest: old ? today : { ...today, ...added, db_key: KEYS.snapshot(sha256) } }
}
