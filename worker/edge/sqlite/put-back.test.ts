import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { change, titlesOf, walOf } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { makePull } from '../testing/pull-kit.ts'
import { removeOldBackups } from './backup-retention.ts'
import { restoreBackup } from './put-back.ts'
import { replaceDatabase } from './replace-database.ts'

const OLD = { rows: 3 }
const NEW = { rows: 9 }
const LATE = "INSERT INTO observations (title) VALUES ('late')"

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
  await expect(replaced).rejects.toThrow(
    /^the database was put back as it was \(.*\); what stood there is kept in .*050607\/unexpected\.db: pull again$/,
  )
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
  expect(fs.statSync(node.path('backups', '20260304-050607', 'unexpected.db')).size).toBe(10_000)
})

test('a backup is brought back by hand, also over a damaged file', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  const backup = await replaceDatabase(request)
  fs.writeFileSync(request.database, 'x'.repeat(5000))
  await restoreBackup(request.database, backup?.file ?? '')
  expect(titlesOf(request.database)).toHaveLength(3)
})

test.each([
  ['put back', OLD],
  ['removed', null],
])(
  'rows that another process wrote before the database was %s are kept, and pinned',
  async (_what, local) => {
    const node = makeNodeHome()
    const request = await makePull(node, { local, remote: NEW })
    const write = () => change(request.database, LATE)
    const replaced = replaceDatabase({ ...request, onStep: (step) => step === 'verify' && write() })
    await expect(replaced).rejects.toThrow(/what stood there is kept in .*unexpected\.db: pull again$/)
    expect(titlesOf(node.path('backups', '20260304-050607', 'unexpected.db'))).toContain('late')
    const report = await removeOldBackups(node.path('backups'), { maxDays: 0, maxCount: 0 }, new Date())
    expect(report).toEqual({ removed: [], kept: [], pinned: ['20260304-050607'] })
  },
)

test.each([
  ['put back', OLD],
  ['removed', null],
])('a database that is in use is not %s', async (_what, local) => {
  const node = makeNodeHome()
  const request = await makePull(node, { local, remote: NEW })
  const open: DatabaseSync[] = []
  const use = () => {
    const other = new DatabaseSync(request.database)
    other.exec(`PRAGMA journal_mode = WAL; ${LATE}`)
    open.push(other)
  }
  const replaced = replaceDatabase({ ...request, onStep: (step) => step === 'verify' && use() })
  await expect(replaced).rejects.toThrow(/could not be undone \(.*(locked by|in use by) another process/)
  for (const other of open) other.close()
  expect(titlesOf(request.database)).toContain('late')
})

test('a damaged database behind a link is replaced, the link is not', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  const backup = await replaceDatabase(request)
  fs.writeFileSync(node.path('memory', 'real.db'), 'x'.repeat(5000))
  fs.rmSync(request.database)
  fs.symlinkSync('real.db', request.database)
  await restoreBackup(request.database, backup?.file ?? '')
  expect(fs.readlinkSync(request.database)).toBe('real.db')
  expect(titlesOf(request.database)).toHaveLength(3)
})
