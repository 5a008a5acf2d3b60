/**
 * `npm run chaos:push-large`: a database of 1 GB pushed by the packed command line as a process of its own, in seconds beside `cp` and
 * a plain upload of the same file, with the largest memory that the process had; then the same push again, unchanged.
 *
 * SIZE_MB (1024) is the size, STORE `s3` (a real S3 server in memory, which needs three times the size) or `directory`. Ends with 1
 * when a push does not end well, takes more than 200 MB, or takes more than 2 s though nothing changed.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { digestLine, projectKeys } from '#domain/membridge/project-keys.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { ensureBucket, openS3Store } from '#server/adapters/object-store/s3.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { canonicalIdOf } from '#worker/edge/identity.ts'
import { sourceOfFile } from '#worker/edge/push/store-snapshot.ts'
import { digestFile } from '#worker/edge/sqlite/file-digest.ts'
import { openNodeHome } from '#worker/edge/testing/home-folder.ts'
import { makeMemoryFile } from '#worker/edge/testing/memory-file.ts'
import { unpackEdge } from '../fixtures/packed-edge.ts'
import { reportOf } from '../fixtures/report.ts'

const MIB = 1024 * 1024
const SIZE_MB = Number(process.env.SIZE_MB ?? 1024)
const PROJECT = 'mem'
const BUCKET = 'push-large'
const LIMITS = { rssMb: 200, unchangedSeconds: 2 }

type Opened = { store: ObjectStore; settings: Record<string, string>; stop: () => Promise<void> }

async function openS3(): Promise<Opened> {
  process.env.S3_SERVER_BYTES ??= String(Math.max(2048, SIZE_MB * 4) * MIB)
  const { startS3Server } = await import('../s3-server/start-s3-server.ts')
  const server = await startS3Server()
  if ('unavailable' in server) throw new Error(server.unavailable)
  const { endpoint, accessKey, secretKey, stop } = server
  const access = { endpoint, accessKey, secretKey, bucket: BUCKET }
  await ensureBucket(access)
  const settings = {
    MINIO_ENDPOINT: endpoint,
    MINIO_ACCESS_KEY: accessKey,
    MINIO_SECRET_KEY: secretKey,
    MINIO_BUCKET: BUCKET,
  }
  return { store: openS3Store(access), settings, stop }
}

async function openFolder(folder: string): Promise<Opened> {
  fs.mkdirSync(folder)
  const settings = { MINIO_ENDPOINT: `file://${folder}` }
  return { store: await openDirectoryStore(folder), settings, stop: async () => {} }
}

/** A claude-mem.db of about this size; most of it is one table that nobody counts. */
function makeLarge(file: string): void {
  makeMemoryFile(file, { rows: 10_000 })
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE attachments (id INTEGER PRIMARY KEY, content BLOB)')
  const insert = database.prepare('INSERT INTO attachments (content) VALUES (randomblob(?))')
  while (fs.statSync(file).size < SIZE_MB * MIB) {
    database.exec('BEGIN')
    for (let n = 0; n < 64; n++) insert.run(MIB)
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  }
  database.close()
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}

const LOOK_MS = 20

/** Runs the command as a process; gives its seconds, its output, and the largest memory it had in MB. */
async function runPush(env: Record<string, string>) {
  const start = performance.now()
  const child = spawn(process.execPath, [program, 'push'], { env: { ...process.env, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more) => (text += more))
  let rssMb = 0
  const looking = setInterval(() => {
    try {
      const status = fs.readFileSync(`/proc/${child.pid}/status`, 'utf8')
      rssMb = Math.max(rssMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    } catch {}
  }, LOOK_MS)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearInterval(looking)
  return { code, text, rssMb, seconds: (performance.now() - start) / 1000 }
}

const report = reportOf('chaos:push-large')
const node = openNodeHome()
fs.mkdirSync(node.path('program'))
const program = await unpackEdge(node.path('program'))
const file = node.path('claude-mem.db')
const { store, settings, stop } =
  process.env.STORE === 'directory' ? await openFolder(node.path('store')) : await openS3()
try {
  makeLarge(file)
  const { bytes, sha256 } = await digestFile(file)
  report.figure('database', `${(bytes / MIB).toFixed(0)} MiB`)
  const copied = await seconds(async () => {
    fs.copyFileSync(file, node.path('copy.db'))
    const handle = fs.openSync(node.path('copy.db'), 'r+')
    fs.fsyncSync(handle)
    fs.closeSync(handle)
  })
  fs.rmSync(node.path('copy.db'))
  report.figure('cp', `${copied.toFixed(1)} s`)
  const source = sourceOfFile({ path: file, bytes, sha256 }, new AbortController().signal)
  const uploaded = await seconds(() => store.createFrom('plain', source))
  await store.remove('plain')
  report.figure('plain upload', `${uploaded.toFixed(1)} s`)
  const env = {
    ...settings,
    HOME: node.path(),
    CLAUDE_PROJECT_ID: PROJECT,
    CLAUDE_MEM_DB: file,
    MEMBRIDGE_NODE_ID: 'large',
    MEMBRIDGE_MAX_DB_BYTES: String(8 * 1024 * MIB),
  }
  const first = await runPush(env)
  report.figure('push', `${first.seconds.toFixed(1)} s`)
  report.check('the push ends with 0', first.code === 0, first.text)
  report.figure('memory', `${first.rssMb.toFixed(0)} MB`, `${LIMITS.rssMb} MB`)
  report.check(`a push takes at most ${LIMITS.rssMb} MB`, first.rssMb > 0 && first.rssMb <= LIMITS.rssMb)
  const again = await runPush(env)
  report.figure('unchanged push', `${again.seconds.toFixed(2)} s, ${again.rssMb.toFixed(0)} MB`)
  const isSame = again.code === 0 && again.text.includes('RESULT: remote already up to date')
  report.check(
    `an unchanged push takes at most ${LIMITS.unchangedSeconds} s`,
    isSame && again.seconds <= LIMITS.unchangedSeconds,
    again.text,
  )
  const keys = projectKeys(canonicalIdOf(PROJECT))
  const line = new TextDecoder().decode((await store.get(keys.mirrorSha))?.bytes)
  const pointer = JSON.parse(new TextDecoder().decode((await store.get(keys.pointer))?.bytes))
  report.check('pointer and mirror name one content', line === digestLine(pointer.sha256), line)
  const left = fs.readdirSync(node.path()).filter((name) => name.startsWith('.membridge-'))
  report.check('no temporary file is left', left.length === 0, left)
} finally {
  await stop()
  fs.rmSync(path.resolve(node.path()), { recursive: true, force: true })
}
report.verdict()
