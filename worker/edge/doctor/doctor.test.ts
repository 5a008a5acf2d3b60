import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { runCommandLine } from '../command-line.ts'
import { canonicalIdOf } from '../identity.ts'
import { startChild } from '../testing/child.ts'
import { type MemoryFile, makeMemoryFile } from '../testing/memory-file.ts'
import { makeNodeHome, type NodeHome } from '../testing/node-home.ts'

const { pointer, lock, lease } = projectKeys(canonicalIdOf('mem'))
const KEYS = { pointer, lock, lease }
const HOOKS = {
  hooks: {
    SessionStart: [{ hooks: [{ command: '/x/claude-mem-hook-pull' }] }],
    Stop: [{ hooks: [{ command: '/x/claude-mem-hook-push' }] }],
  },
}
const LEASE = { primary_node_id: 'rpi', expires_at: 1_700_000_000, epoch: 7, term: 3, nonce: 'canary-nonce' }
const LOCK = {
  hostname: 'rpi',
  node_id: 'rpi',
  timestamp: 1_700_000_000,
  ttl_seconds: 7200,
  owner_token: 'canary-token',
}
const POINTER = { sha256: 'c'.repeat(64), observations: 3, db_size: 4096, term: 3 }

/** A node with a database, hooks, a worker and a store in a folder. */
async function soundNode(objects: Partial<Record<keyof typeof KEYS, unknown>> = {}, memory: MemoryFile = {}) {
  const node = makeNodeHome()
  fs.mkdirSync(node.path('store'))
  makeMemoryFile(node.path('m.db'), memory)
  node.write('.claude/settings.json', JSON.stringify(HOOKS))
  const worker = await startChild('stand-in-worker.ts', ['obedient'], { HOME: node.host.home })
  const env = {
    CLAUDE_PROJECT_ID: 'mem',
    CLAUDE_MEM_DB: node.path('m.db'),
    MINIO_ENDPOINT: `file://${node.path('store')}`,
    CLAUDE_MEM_WORKER_PORT: worker.line,
  }
  const store = await openDirectoryStore(node.path('store'))
  for (const [name, value] of Object.entries({ pointer: POINTER, lease: LEASE, ...objects }))
    await store.create(
      KEYS[name as keyof typeof KEYS],
      Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
    )
  return { ...node, host: { ...node.host, env } }
}

const doctor = async (node: NodeHome, env: Record<string, string> = {}) => {
  const host = { ...node.host, env: { ...node.host.env, ...env } }
  const text = await runCommandLine(['doctor'], host)
  const json = JSON.parse((await runCommandLine(['cm-doctor', '--json'], host)).stdout)
  return { ...text, json }
}

test('a sound node: the headings of today in their order, every fact, and OK', async () => {
  const node = await soundNode({ lock: LOCK })
  const { exitCode, stdout, json } = await doctor(node)
  expect(stdout.match(/^\[.*$/gm)).toEqual([
    '[1/5] Project identity',
    '[2/5] MinIO connectivity',
    '[3/5] Lock status',
    '[4/5] SQLite DB health',
    '[5/5] Worker health',
    '[+] Hooks',
    '[+] Leadership',
  ])
  expect(stdout).toMatch(/ {2}holder: +rpi\n {2}since: +2023-11-14T22:13:20\.000Z\n/)
  expect(stdout).toMatch(/ {2}probe: +not run \(/)
  expect(stdout).toMatch(/ {2}local_ahead: +NO /)
  expect(stdout).toMatch(
    / {2}primary: +rpi\n {2}lease until: +2023-11-14T22:13:20\.000Z\n {2}epoch: +7\n {2}term: +3\n/,
  )
  expect(stdout.endsWith('\nSTATUS: OK\n')).toBe(true)
  expect(exitCode).toBe(0)
  expect(json).toMatchObject({
    status: 'OK',
    identity: { canonical_project_id: '6fe2e0f6071ac2bb', node_id: 'test-node' },
    database: { observations: 3, integrity: 'ok', local_ahead: 'no' },
    worker: { worker: { version: '13.15.3' } },
    hooks: { pull: true, push: true },
    leadership: { lease: { state: 'read', value: { term: 3 } } },
  })
})

test.each([
  ['our nodes write', 1_700_000_000.5, '2023-11-14T22:13:20.500Z'],
  ['nodes of today write', '2026-03-04 05:06', '2026-03-04 05:06'],
])('the time of a push as %s it', async (_, timestamp, shown) => {
  const { stdout, json } = await doctor(await soundNode({ pointer: { ...POINTER, timestamp } }))
  expect(json.store.pointer).toMatchObject({ state: 'read', value: { timestamp } })
  expect(stdout).toContain(`  pushed:               ${shown}\n`)
})

test('tokens of lock and lease do not leave the store', async () => {
  const { stdout, json } = await doctor(await soundNode({ lock: LOCK }))
  expect(stdout + JSON.stringify(json)).not.toContain('canary')
})

test('more observations here than there are local_ahead: YES', async () => {
  const { exitCode, stdout, json } = await doctor(await soundNode({}, { rows: 9 }))
  expect(stdout).toMatch(/ {2}local_ahead: +YES \(6 more than the remote copy\)\n/)
  expect([exitCode, json.status, json.database.local_ahead]).toEqual([0, 'DEGRADED', 'yes'])
})

test('changes no file, neither in the home nor in the store; SQLite leaves an empty -wal beside a database that nobody had open', async () => {
  const node = await soundNode()
  const listing = () =>
    fs
      .readdirSync(node.path(), { recursive: true, encoding: 'utf8' })
      .map((name) => `${name} ${fs.statSync(node.path(name)).mtimeMs}`)
      .filter((text) => !text.startsWith('store/.store') && !/^m\.db-(wal|shm) /.test(text))
      .sort()
  const before = listing()
  await doctor(node)
  expect(listing()).toEqual(before)
  expect(fs.statSync(node.path('m.db-wal')).size).toBe(0)
})

test('data that lies in the -wal alone is counted and said', async () => {
  const node = await soundNode()
  fs.rmSync(node.path('m.db'))
  const writer = new DatabaseSync(node.path('m.db'))
  writer.exec(
    'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE observations (title TEXT)',
  )
  writer.exec("INSERT INTO observations VALUES ('a'), ('b')")
  const { stdout } = await doctor(node)
  writer.close()
  expect(stdout).toMatch(
    / {2}size: +4096 bytes, \d{4,} in -wal\n {2}wal: +all data is in -wal: never copy the file alone\n/,
  )
  expect(stdout).toMatch(/ {2}observations: +2\n/)
})

type Fault = [
  what: string,
  env: Record<string, string>,
  status: string,
  line: RegExp,
  spoil?: (node: NodeHome) => void,
]
const FAULTS: Fault[] = [
  ['no project', { CLAUDE_PROJECT_ID: '' }, 'ERROR', /CLAUDE_PROJECT_ID not set/],
  ['no store', { MINIO_ENDPOINT: '' }, 'DEGRADED', /not configured \(MINIO_ENDPOINT not set\)/],
  ['no key for S3', { MINIO_ENDPOINT: 'http://127.0.0.1:1' }, 'ERROR', /MINIO_ACCESS_KEY not set/],
  [
    'a store that is not mounted',
    { MINIO_ENDPOINT: 'file:///nowhere/at/all' },
    'ERROR',
    /is not a folder: mount or make it/,
  ],
  ['no database', { CLAUDE_MEM_DB: '/nowhere.db' }, 'ERROR', /NOT FOUND: check CLAUDE_MEM_DB/],
  [
    'a database of another kind',
    {},
    'ERROR',
    /is not an SQLite database/,
    (node) => fs.writeFileSync(node.path('m.db'), 'x'.repeat(9000)),
  ],
  [
    'a database above the limit',
    { MEMBRIDGE_MAX_DB_BYTES: '4096' },
    'DEGRADED',
    /larger than MEMBRIDGE_MAX_DB_BYTES/,
  ],
  [
    'no worker',
    { CLAUDE_MEM_WORKER_PORT: '1' },
    'DEGRADED',
    /health: +no answer/,
    (node) => fs.rmSync(node.path('.claude-mem'), { recursive: true }),
  ],
  ['no hooks', {}, 'DEGRADED', /SessionStart pull: +NO/, (node) => node.write('.claude/settings.json', '{}')],
  [
    'keys that others can read',
    {},
    'DEGRADED',
    /others can read its keys: chmod 600/,
    (node) => node.write('.claude-mem-minio/config.env', 'MINIO_BUCKET=b', 0o644),
  ],
]
test.each(FAULTS)('%s', async (_what, env, status, line, spoil) => {
  const node = await soundNode()
  spoil?.(node)
  const { exitCode, stdout, json } = await doctor(node, env)
  expect(stdout).toMatch(line)
  expect(stdout.endsWith(`STATUS: ${status}\n`)).toBe(true)
  expect([exitCode, json.status]).toEqual([status === 'ERROR' ? 1 : 0, status])
})

test.each([
  [
    'lease',
    '{"primary_node_id"',
    /UNREADABLE, nobody is primary: projects\/.*lease\.json is not understood \(the whole\)/,
  ],
  ['lease', '[]', /UNREADABLE, nobody is primary/],
  ['lease', { ...LEASE, epoch: '3' }, /lease\.json is not understood \(epoch\)/],
  ['lock', 'x', /UNREADABLE, counts as taken/],
  ['pointer', { sha256: 7 }, /manifest\.json is not understood \(sha256\)/],
])('a %s that is %j is an error and never absent', async (name, value, line) => {
  const { exitCode, stdout } = await doctor(await soundNode({ [name]: value }))
  expect(stdout).toMatch(line)
  expect(exitCode).toBe(1)
})

test('a released lock is free, a stub of a pointer is no remote copy', async () => {
  const { stdout } = await doctor(
    await soundNode({ lock: { ...LOCK, released: true, timestamp: 0 }, pointer: { sha256: null, term: 4 } }),
  )
  expect(stdout).toMatch(/status: +FREE/)
  expect(stdout).toMatch(/remote copy: +none yet/)
  expect(stdout).toMatch(/local_ahead: +UNKNOWN/)
})

test('a database that another process has locked is told as that', async () => {
  const node = await soundNode({}, { wal: false })
  const locker = await startChild('live-writer.ts', [node.path('m.db'), 'lock'])
  expect((await doctor(node)).stdout).toMatch(/m\.db is locked by another process: close what uses it/)
  await locker.kill()
})
