import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { startChild } from '../testing/child.ts'
import { addObservations, change, makeMemoryFile, titlesOf } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { fetchCopy, makePull } from '../testing/pull-kit.ts'
import { digestFile } from './file-digest.ts'
import { replaceDatabase, restoreBackup } from './replace-database.ts'
import { takeSnapshot } from './snapshot.ts'

const OLD = { rows: 3 }
const NEW = { rows: 9 }

test('puts the remote copy in the place of the database and keeps what was there', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  fs.chmodSync(request.database, 0o640)
  const backup = await replaceDatabase(request)
  expect(titlesOf(request.database)).toHaveLength(9)
  expect(fs.statSync(request.database).mode & 0o777).toBe(0o640)
  expect(fs.readdirSync(node.path('memory'))).toEqual(['claude-mem.db'])
  expect(backup?.folder).toBe(node.path('backups', '20260304-050607'))
  expect(titlesOf(backup?.file ?? '')).toHaveLength(3)
  expect((await takeSnapshot(request.database, { maxBytes: 2 ** 31 })).contentSha256).toBe(
    request.remote.contentSha256,
  )
})

test('a node without a database gets one that nobody else can read, and an old -wal beside its place is not replayed', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: null, remote: NEW })
  fs.writeFileSync(`${request.database}-wal`, walOf(node.path('third.db')))
  expect(await replaceDatabase(request)).toBeNull()
  expect(titlesOf(request.database)).toHaveLength(9)
  expect(fs.statSync(request.database).mode & 0o777).toBe(0o600)
})

/** A WAL that SQLite would replay: of a database with other rows, taken while it was open. */
function walOf(file: string): Buffer {
  makeMemoryFile(file, { rows: 1, from: 500 })
  const open = new DatabaseSync(file)
  addObservations(open, 501, 50)
  const wal = fs.readFileSync(`${file}-wal`)
  open.close()
  return wal
}

test('rows that lie in the -wal alone are backed up', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  const writer = await startChild('live-writer.ts', [request.database, 'hold'])
  await writer.kill()
  expect(fs.statSync(`${request.database}-wal`).size).toBeGreaterThan(0)
  const backup = await replaceDatabase({ ...request, acceptedLoss: 1 })
  expect(backup?.manifest.local_ahead).toBe(1)
  expect(titlesOf(backup?.file ?? '')).toContain('title 1000000')
  expect(titlesOf(request.database)).toHaveLength(9)
})

test('rows that exist only here stop it before anything changes, and are kept', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: { rows: 4, from: 7 }, remote: NEW })
  await expect(replaceDatabase(request)).rejects.toThrow(
    /^LOCAL AHEAD: 1 rows exist only here; they are kept in .*050607\. Push/,
  )
  expect(titlesOf(request.database)).toHaveLength(4)
})

test.each(['write', 'hold', 'read', 'lock'])(
  'a process that has the database open (%s) stops it, and nothing changes',
  async (mode) => {
    const node = makeNodeHome()
    const request = await makePull(node, { local: OLD, remote: NEW })
    const other = await startChild('live-writer.ts', [request.database, mode])
    await expect(replaceDatabase({ ...request, acceptedLoss: 1e6, busyMs: 100 })).rejects.toThrow(
      /(locked by|in use by) another process|changed (while|after) it was backed up/,
    )
    await other.kill()
    expect(titlesOf(request.database)).toEqual(expect.arrayContaining(['title 1', 'title 2', 'title 3']))
    expect(titlesOf(request.database)).not.toContain('title 9')
  },
)

test('rows that come between backup and lock stop it', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  const write = () => change(request.database, "INSERT INTO observations (title) VALUES ('late')")
  const replaced = replaceDatabase({ ...request, onStep: (step) => step === 'leave-wal' && write() })
  await expect(replaced).rejects.toThrow(
    /changed after it was backed up: close what writes to it and pull again$/,
  )
  expect(titlesOf(request.database)).toContain('late')
})

test('no process can write to the old file once the last step before the rename has begun', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  let refused = ''
  const write = () => {
    const other = new DatabaseSync(request.database, { timeout: 0 })
    try {
      other.exec("PRAGMA journal_mode = WAL; INSERT INTO observations (title) VALUES ('late')")
    } catch (error) {
      refused = String(error)
    } finally {
      other.close()
    }
  }
  await replaceDatabase({ ...request, onStep: (step) => step === 'rename' && write() })
  expect(refused).toMatch(/locked/)
  expect(titlesOf(request.database)).toHaveLength(9)
})

test.each<[string, (path: string, wal: Buffer) => void]>([
  ['an old -wal is replayed over the new file', (path, wal) => fs.writeFileSync(`${path}-wal`, wal)],
  ['the new file holds other rows', (path) => change(path, 'DELETE FROM observations WHERE id > 5')],
  [
    'the new file holds another row in the place of one',
    (path) => change(path, "UPDATE observations SET title = 'other' WHERE id = 1"),
  ],
  ['the new file is damaged', (path) => fs.truncateSync(path, 10_000)],
  ['the new file is no database', (path) => fs.writeFileSync(path, 'x'.repeat(5000))],
])('when %s, the backup is put back', async (_what, spoil) => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  const wal = walOf(node.path('third.db'))
  const replaced = replaceDatabase({
    ...request,
    onStep: (step) => step === 'verify' && spoil(request.database, wal),
  })
  await expect(replaced).rejects.toThrow(/^the database was put back as it was \(.*\): pull again$/)
  expect(titlesOf(request.database)).toEqual(['title 1', 'title 2', 'title 3'])
  expect(fs.readdirSync(node.path('memory')).filter((name) => name.startsWith('.membridge-'))).toEqual([])
})

test('an old -wal that would change rows and no count is not taken for the fetched content', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  fs.copyFileSync(request.remote.path, node.path('same.db'))
  const other = new DatabaseSync(node.path('same.db'))
  other.exec("PRAGMA journal_mode = WAL; UPDATE observations SET title = 'from the old -wal' WHERE id = 1")
  const wal = fs.readFileSync(node.path('same.db-wal'))
  other.close()
  const plant = () => fs.writeFileSync(`${request.database}-wal`, wal)
  await expect(
    replaceDatabase({ ...request, onStep: (step) => step === 'verify' && plant() }),
  ).rejects.toThrow(/^the database was put back as it was \(something wrote to .*-wal holds \d+ bytes\)/)
  expect(titlesOf(request.database)).toEqual(['title 1', 'title 2', 'title 3'])
})

test('a first database that is not as fetched is removed again', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: null, remote: NEW })
  const spoil = () => fs.truncateSync(request.database, 10_000)
  const replaced = replaceDatabase({ ...request, onStep: (step) => step === 'verify' && spoil() })
  await expect(replaced).rejects.toThrow(/^the pulled database was removed again \(/)
  expect(fs.existsSync(request.database)).toBe(false)
})

test('a corrupt database is not replaced, since it cannot be backed up', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: { rows: 500, wal: false }, remote: NEW })
  fs.truncateSync(request.database, 20_000)
  const { sha256 } = await digestFile(request.database)
  await expect(replaceDatabase(request)).rejects.toThrow(/is corrupt.*rename it and pull/)
  expect((await digestFile(request.database)).sha256).toBe(sha256)
  expect(fs.existsSync(node.path('backups'))).toBe(false)
})

test('a database that is a link stays one', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  fs.renameSync(request.database, node.path('memory', 'real.db'))
  fs.symlinkSync('real.db', request.database)
  await replaceDatabase(request)
  expect(fs.readlinkSync(request.database)).toBe('real.db')
  expect(titlesOf(node.path('memory', 'real.db'))).toHaveLength(9)
})

test('a backup is brought back by hand, also over a damaged file', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  const backup = await replaceDatabase(request)
  fs.writeFileSync(request.database, 'x'.repeat(5000))
  await restoreBackup(request.database, backup?.file ?? '')
  expect(titlesOf(request.database)).toHaveLength(3)
})

test('pulls again and again', async () => {
  const node = makeNodeHome()
  const first = await makePull(node, { local: OLD, remote: NEW })
  await replaceDatabase(first)
  for (let rows = 10; rows < 14; rows++) {
    change(first.database, 'PRAGMA journal_mode = WAL')
    await replaceDatabase(await fetchCopy(node, { rows }))
    expect(titlesOf(first.database)).toHaveLength(rows)
  }
  expect(fs.readdirSync(node.path('backups'))).toHaveLength(5)
})
