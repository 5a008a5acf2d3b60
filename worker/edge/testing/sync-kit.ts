import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { digestLine, projectKeys } from '#domain/membridge/project-keys.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import { runCommandLine } from '../command-line.ts'
import { canonicalIdOf } from '../identity.ts'
import { addObservations, type MemoryFile, makeMemoryFile } from './memory-file.ts'
import { makeNodeHome, type NodeHome } from './node-home.ts'
import { tableDigests } from './table-digests.ts'

export const PROJECT = 'mem'
export const CID = canonicalIdOf(PROJECT)
export const KEYS = projectKeys(CID)

/** A node that syncs `m.db`, with what it prints; `env` is its whole environment. */
export type SyncNode = NodeHome & {
  database: string
  env: Record<string, string>
  run: (args: string[], more?: RunOptions) => Promise<Ran>
}
type RunOptions = { env?: Record<string, string>; stopped?: AbortSignal; onLine?: (line: string) => void }
export type Ran = { exitCode: number; stdout: string; stderr: string; said: string }

/** A node of this name at the store of that folder, with a database unless it is told to have none. */
export function makeSyncNode(
  store: Record<string, string>,
  name = 'a',
  memory: MemoryFile | null = {},
): SyncNode {
  const node = makeNodeHome()
  const database = node.path('m.db')
  if (memory !== null) makeMemoryFile(database, memory)
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: node.host.home,
    CLAUDE_PROJECT_ID: PROJECT,
    CLAUDE_MEM_DB: database,
    MEMBRIDGE_NODE_ID: name,
    // Nobody listens there.
    MEMBRIDGE_SERVER_URL: 'http://127.0.0.1:9',
    ...store,
  }
  const run = async (args: string[], { env: more = {}, stopped, onLine }: RunOptions = {}): Promise<Ran> => {
    let said = ''
    const say = (line: string) => {
      said += line
      onLine?.(line)
    }
    const host = { ...node.host, env: { ...env, ...more } }
    const printed = await runCommandLine(args, host, {
      say,
      stopped: stopped ?? new AbortController().signal,
    })
    return { ...printed, said }
  }
  return { ...node, database, env, run }
}

/** A directory store in a folder that the test removes, and the settings that name it. */
export async function makeFolderStore(): Promise<{ store: ObjectStore; settings: Record<string, string> }> {
  const { path } = makeNodeHome()
  fs.mkdirSync(path('store'))
  return {
    store: await openDirectoryStore(path('store')),
    settings: { MINIO_ENDPOINT: `file://${path('store')}` },
  }
}

export async function objectText(store: ObjectStore, key: string): Promise<string> {
  const object = await store.get(key)
  if (object === null) throw new Error(`${key} is not there`)
  return new TextDecoder().decode(object.bytes)
}

// biome-ignore lint/suspicious/noExplicitAny: the objects of the wire, as a test looks at them.
export const objectJson = async (store: ObjectStore, key: string): Promise<any> =>
  JSON.parse(await objectText(store, key))

/** Writes an object, whatever stood there. */
export async function putText(store: ObjectStore, key: string, text: string): Promise<void> {
  const standing = await store.get(key)
  await store.replace(key, new TextEncoder().encode(text), standing?.etag ?? null)
}

/** Adds rows that no other call adds. */
let next = 5_000_000
export function addRows(file: string, rows = 1): void {
  const database = new DatabaseSync(file)
  addObservations(database, next, rows)
  next += rows
  database.close()
}

/** Makes the Push Lock of whoever has it look as old as that, without waiting. */
export async function ageLock(store: ObjectStore, seconds: number): Promise<void> {
  const lock = await store.get(KEYS.lock)
  if (lock === null) return
  const body = JSON.parse(new TextDecoder().decode(lock.bytes))
  if (!body.released)
    await putText(store, KEYS.lock, JSON.stringify({ ...body, timestamp: Date.now() / 1000 - seconds }))
}

/** Pointer, snapshot and mirror name one content, which is that of this database in every table; nothing temporary is left. */
export async function expectSynced(store: ObjectStore, node: SyncNode): Promise<void> {
  const pointer = await objectJson(store, KEYS.pointer)
  for (const key of [KEYS.snapshot(pointer.sha256), KEYS.mirror]) {
    const object = await store.get(key)
    if (object === null) throw new Error(`${key} is not there`)
    expect(sha256Hex(object.bytes)).toBe(pointer.sha256)
  }
  for (const key of [KEYS.snapshotSha(pointer.sha256), KEYS.mirrorSha])
    expect(await objectText(store, key)).toBe(digestLine(pointer.sha256))
  const copy = node.path('fetched.db')
  fs.writeFileSync(copy, (await store.get(KEYS.mirror))?.bytes ?? '')
  expect(tableDigests(copy)).toEqual(tableDigests(node.database))
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(`${copy}${suffix}`, { force: true })
  expectNoTemporaries(node)
}

export const expectLockReleased = async (store: ObjectStore): Promise<void> =>
  expect(await objectJson(store, KEYS.lock)).toMatchObject({ released: true, timestamp: 0 })

/** No snapshot and no lock of a command is left in the node's home. */
export function expectNoTemporaries(node: SyncNode): void {
  expect(fs.readdirSync(node.path()).filter((name) => name.startsWith('.membridge-'))).toEqual([])
  const locks = node.path('.membridge/locks')
  const left = fs.existsSync(locks) ? fs.readdirSync(locks).filter((name) => name.endsWith('.lock')) : []
  expect(left).toEqual([])
}
