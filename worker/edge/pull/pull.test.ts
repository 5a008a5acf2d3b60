import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { canonicalIdOf } from '../identity.ts'
import { readSyncState } from '../ledger/sync-state.ts'
import { startChild } from '../testing/child.ts'
import { addObservations, change, titlesOf, walOf } from '../testing/memory-file.ts'
import { KEYS, openPullRoom, type PullRoom } from '../testing/pull-room.ts'
import { tableDigests } from '../testing/table-digests.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')
const BACKUPS = '.claude-mem/backups/pull-overwrite'
const backupsOf = ({ node }: PullRoom): string[] =>
  fs.existsSync(node.path(BACKUPS)) ? fs.readdirSync(node.path(BACKUPS)) : []
/** Without the empty companions that every reader of SQLite leaves. */
const memoryOf = ({ node }: PullRoom): string[] =>
  fs.readdirSync(node.path('memory')).filter((name) => !/\.db-(wal|shm)$/.test(name))

test('brings the remote copy here, keeps what was here, and remembers it', async () => {
  const room = await openPullRoom({ rows: 3 })
  const { file, sha256, manifest } = await room.push({ rows: 9, tables: 28 })
  const { exitCode, stdout, stderr } = await room.pull(['--json'])
  expect([exitCode, stderr]).toEqual([0, ''])
  const json = JSON.parse(stdout)
  expect(json).toMatchObject({
    result: 'pulled',
    sha256,
    observations: 9,
    tables: 28,
    local_ahead: 0,
    term: 1,
  })
  expect(tableDigests(room.database)).toEqual(tableDigests(file))
  expect(titlesOf(`${json.backup}/claude-mem.db`)).toHaveLength(3)
  expect(memoryOf(room)).toEqual(['claude-mem.db'])
  expect(await readSyncState(room.node.host, canonicalIdOf('mem'))).toMatchObject({
    value: { last_synced_sha: sha256, content_sha256: manifest.content_sha256, term: 1 },
  })
})

test('under each of its names, and by words that scripts match', async () => {
  const room = await openPullRoom({ rows: 3 })
  const { sha256 } = await room.push({ rows: 9 })
  expect((await room.pull()).stdout).toMatch(
    new RegExp(`^RESULT: pulled ${sha256}\nobservations: 9\nbackup: /`),
  )
  for (const name of ['pull', 'pull_sqlite', 'cm-pull'])
    expect((await room.pull([], {}, name)).stdout).toBe(
      `RESULT: already up to date\nremote copy: ${sha256}\n`,
    )
})

test('the same content is up to date though a worker has opened it, and nothing is written but the state', async () => {
  const room = await openPullRoom({ rows: 9 })
  await room.push({ rows: 9 })
  const before = backupsOf(room)
  const open = new DatabaseSync(room.database)
  open.exec('PRAGMA journal_mode = WAL')
  const steps: string[] = []
  const { exitCode, stdout } = await room.pullWith({ onStep: (step) => steps.push(step) })
  open.close()
  expect([exitCode, stdout.split('\n')[0]]).toEqual([0, 'RESULT: already up to date'])
  expect(steps).toEqual(['sweep', 'pointer', 'digest', 'retention'])
  expect(backupsOf(room)).toEqual(before)
  expect((await readSyncState(room.node.host, canonicalIdOf('mem'))).state).toBe('read')
})

test('a database that nobody touched since it was found up to date is not copied to know it', async () => {
  const room = await openPullRoom({ rows: 9 })
  await room.push({ rows: 9 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5_000 })
  onTestFinished(() => void vi.useRealTimers())
  const uncopied = { MEMBRIDGE_MAX_DB_BYTES: '1' }
  expect((await room.pull([], uncopied)).stderr).toMatch(/more than MEMBRIDGE_MAX_DB_BYTES/)
  expect((await room.pull()).stdout).toMatch(/^RESULT: already up to date/)
  expect((await room.pull([], uncopied)).stdout).toMatch(/^RESULT: already up to date/)
  change(room.database, "UPDATE observations SET title = 'Title 1' WHERE id = 1")
  expect((await room.pull([], uncopied)).stderr).toMatch(/more than MEMBRIDGE_MAX_DB_BYTES/)
})

test('a node without database and folder gets both, for its account alone', async () => {
  const room = await openPullRoom(null)
  const { file } = await room.push({ rows: 9 })
  fs.rmdirSync(room.node.path('memory'))
  const { exitCode, stdout } = await room.pull()
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringContaining('backup: none, there was no local database'),
  ])
  expect(tableDigests(room.database)).toEqual(tableDigests(file))
  expect(fs.statSync(room.node.path('memory')).mode & 0o777).toBe(0o700)
  expect(fs.statSync(room.database).mode & 0o777).toBe(0o600)
})

test('a folder whose parent is missing is not made: a disk may not be mounted', async () => {
  const room = await openPullRoom(null)
  await room.push({ rows: 9 })
  const { exitCode, stderr } = await room.pull([], { CLAUDE_MEM_DB: room.node.path('disk/memory/c.db') })
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^ERROR: .*disk\/memory cannot be used \(ENOENT.*make it/),
  ])
  expect(fs.existsSync(room.node.path('disk'))).toBe(false)
})

test('no pointer, or a stub that only fences, is no remote copy yet', async () => {
  const room = await openPullRoom({ rows: 3 })
  const NONE = 'ERROR: no remote copy yet of mem: push from the node that has the data\n'
  expect(await room.pull()).toEqual({ exitCode: 1, stdout: '', stderr: NONE })
  await room.put(KEYS.pointer, { canonical_id: canonicalIdOf('mem'), sha256: null, epoch: 2, term: 2 })
  expect((await room.pull()).stderr).toBe(NONE)
  expect(titlesOf(room.database)).toHaveLength(3)
})

test('rows that exist only here stop it with their number and the choices, and nothing changes', async () => {
  const room = await openPullRoom({ rows: 4, from: 8 })
  await room.push({ rows: 9 })
  const { exitCode, stderr, stdout } = await room.pull(['--json'])
  expect([exitCode, JSON.parse(stdout).exit_code]).toEqual([1, 1])
  expect(stderr).toBe(
    'LOCAL AHEAD: 2 rows exist only here; nothing was changed. Push from this node, or pull with --accept-local-loss\n',
  )
  expect(titlesOf(room.database)).toHaveLength(4)
  expect([memoryOf(room), backupsOf(room)]).toEqual([['claude-mem.db'], []])
})

test('rows that exist only here stop it before the worker is, and old backups go all the same', async () => {
  const room = await openPullRoom({ rows: 4, from: 8 })
  await room.push({ rows: 9 })
  const old = room.node.write(`${BACKUPS}/20200102-030405/manifest.json`, '{"local_ahead": 0}')
  const steps: string[] = []
  const { exitCode } = await room.pullWith({ onStep: (step) => steps.push(step) })
  expect([exitCode, steps.slice(-2), fs.existsSync(old)]).toEqual([1, ['compare', 'retention'], false])
})

test('an accepted loss is kept in a backup that no retention removes', async () => {
  const room = await openPullRoom({ rows: 4, from: 8 })
  await room.push({ rows: 9 })
  const { stdout } = await room.pull(['--accept-local-loss', '--json'])
  const { backup, local_ahead } = JSON.parse(stdout)
  expect(local_ahead).toBe(2)
  const strict = { PULL_BACKUP_MAX_DAYS: '0', PULL_BACKUP_MAX_COUNT: '0' }
  for (let rows = 10; rows < 13; rows++) {
    const { file } = await room.push({ rows })
    expect((await room.pull([], strict)).exitCode).toBe(0)
    expect(tableDigests(room.database)).toEqual(tableDigests(file))
  }
  // The last pull keeps its own backup as well, which the next one may remove.
  expect(backupsOf(room)).toHaveLength(2)
  expect(backupsOf(room)[0]).toBe(backup.split('/').at(-1))
  expect(titlesOf(`${backup}/claude-mem.db`)).toEqual(expect.arrayContaining(['title 10', 'title 11']))
})

test.each([
  ['stop it', {}, 1],
  ['go into the backup when their loss was accepted', { 'accept-local-loss': true }, 0],
])('rows that come after the comparison %s', async (_, flags, exitCode) => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  const write = () => {
    const open = new DatabaseSync(room.database)
    addObservations(open, 700, 5)
    open.close()
  }
  const printed = await room.pullWith({ flags, onStep: (step) => step === 'stop-worker' && write() })
  expect(printed.exitCode).toBe(exitCode)
  if (exitCode === 1) {
    expect(printed.stderr).toMatch(/^LOCAL AHEAD: 5 rows/)
    expect(titlesOf(room.database)).toContain('title 704')
    expect(backupsOf(room)).toEqual([])
  } else {
    expect(titlesOf(room.database)).toHaveLength(9)
    expect(titlesOf(room.node.path(BACKUPS, backupsOf(room)[0] ?? '', 'claude-mem.db'))).toContain(
      'title 704',
    )
  }
})

test.each(['write', 'hold', 'read', 'lock'])(
  'a process that works in the database (%s) stops it',
  async (mode) => {
    const room = await openPullRoom({ rows: 3 })
    await room.push({ rows: 9 })
    const other = await startChild('live-writer.ts', [room.database, mode])
    const { exitCode, stderr } = await room.pull(['--accept-local-loss'])
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/(locked by|in use by) another process|changed (while|after)/),
    ])
    await other.kill()
    expect(titlesOf(room.database)).toEqual(expect.arrayContaining(['title 1', 'title 3']))
    expect(titlesOf(room.database)).not.toContain('title 9')
    expect(memoryOf(room)).toEqual(['claude-mem.db'])
  },
  30_000,
)

test('an old -wal beside the database is never replayed over the new one', async () => {
  const room = await openPullRoom(null)
  const { file } = await room.push({ rows: 9 })
  const wal = walOf(room.node.path('third.db'))
  fs.writeFileSync(`${room.database}-wal`, wal)
  const refused = await room.pull()
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/-wal is left of a database that is not there/),
  ])
  expect(fs.readFileSync(`${room.database}-wal`)).toEqual(wal)
  fs.renameSync(`${room.database}-wal`, room.node.path('kept-wal'))
  expect((await room.pull()).exitCode).toBe(0)
  expect(tableDigests(room.database)).toEqual(tableDigests(file))
})

test.each([
  [
    'no SQLite',
    (file: string) => fs.writeFileSync(file, 'hello '.repeat(999)),
    /is not an SQLite database: check CLAUDE_MEM_DB/,
  ],
  ['corrupt', (file: string) => fs.truncateSync(file, 20_000), /is corrupt/],
  [
    'a folder',
    (file: string) => {
      fs.rmSync(file)
      fs.mkdirSync(file)
    },
    /is not a file: check CLAUDE_MEM_DB/,
  ],
])('a local database that is %s is left as it is', async (_, damage, message) => {
  const room = await openPullRoom({ rows: 500, wal: false })
  await room.push({ rows: 600 })
  damage(room.database)
  const before = fs.statSync(room.database).ino
  const { exitCode, stderr } = await room.pull(['--accept-local-loss'])
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)])
  expect(fs.statSync(room.database).ino).toBe(before)
  expect(memoryOf(room)).toEqual(['claude-mem.db'])
})

test('an empty file is a database without rows', async () => {
  const room = await openPullRoom(null)
  fs.writeFileSync(room.database, '')
  const { file } = await room.push({ rows: 9 })
  expect((await room.pull()).exitCode).toBe(0)
  expect(tableDigests(room.database)).toEqual(tableDigests(file))
})

test('a second pull of the same file is refused while one is at work', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  const seen: string[] = []
  const second = () => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'pull'], {
      env: room.env,
      encoding: 'utf8',
    })
    seen.push(`${status} ${stderr}`)
  }
  const first = await room.pullWith({ onStep: (step) => step === 'fetch' && second() })
  expect(first.exitCode).toBe(0)
  expect(seen).toEqual([expect.stringMatching(/^1 ERROR: another push or pull of .* is running: wait/)])
})

test('asked to stop while it fetches, it stops and changes nothing', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  const stopping = new AbortController()
  const { exitCode, stderr } = await room.pullWith({
    stopped: stopping.signal,
    onStep: (step) => step === 'compare' && stopping.abort(),
  })
  expect([exitCode, stderr]).toEqual([130, 'ERROR: stopped; nothing was changed\n'])
  expect(titlesOf(room.database)).toHaveLength(3)
  expect(memoryOf(room)).toEqual(['claude-mem.db'])
})

test('a link to the database stays one, and the copy goes where the file is', async () => {
  const room = await openPullRoom({ rows: 3 })
  const { file } = await room.push({ rows: 9 })
  fs.mkdirSync(room.node.path('disk'))
  fs.renameSync(room.database, room.node.path('disk/real.db'))
  fs.symlinkSync('../disk/real.db', room.database)
  change(room.node.path('disk/real.db'), 'PRAGMA journal_mode = WAL')
  expect((await room.pull()).exitCode).toBe(0)
  expect(fs.readlinkSync(room.database)).toBe('../disk/real.db')
  expect(tableDigests(room.node.path('disk/real.db'))).toEqual(tableDigests(file))
})
