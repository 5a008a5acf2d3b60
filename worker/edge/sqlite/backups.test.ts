import fs from 'node:fs'
import { expect, test } from 'vitest'
import { change, makeMemoryFile, titlesOf } from '../testing/memory-file.ts'
import { makeNodeHome, type NodeHome } from '../testing/node-home.ts'
import { fetchCopy, makePull } from '../testing/pull-kit.ts'
import { removeOldBackups } from './backup-retention.ts'
import { digestFile } from './file-digest.ts'
import { replaceDatabase } from './replace-database.ts'
import { countTablesAhead } from './tables-ahead.ts'

const NOW = new Date('2026-03-20T00:00:00Z')
const LIMITS = { maxDays: 14, maxCount: 50 }

test('a manifest says what was replaced by what, and nobody else can read the folder', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: { rows: 4, from: 2 }, remote: { rows: 3 } })
  const backup = await replaceDatabase({ ...request, acceptedLoss: 2 })
  const folder = node.path('backups', '20260304-050607')
  expect(JSON.parse(fs.readFileSync(`${folder}/manifest.json`, 'utf8'))).toEqual({
    timestamp: '2026-03-04T05:06:07.000Z',
    hostname: 'test-node',
    reason: 'pull',
    local_sha: (await digestFile(backup?.file ?? '')).sha256,
    remote_sha: request.remote.sha256,
    local_obs: 4,
    remote_obs: 3,
    local_ahead: 2,
    tables_ahead: {},
    db_path: request.database,
    chroma: 'absent',
  })
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of fs.readdirSync(folder)) expect(fs.statSync(`${folder}/${name}`).mode & 0o777).toBe(0o600)
})

test('rows of other tables that are more here are told in the manifest and pin the backup', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: { rows: 3 }, remote: { rows: 3 } })
  change(
    request.database,
    "INSERT INTO user_prompts (prompt_text) VALUES ('p3'), ('p4'); INSERT INTO pending_messages (status) VALUES ('processed')",
  )
  const backup = await replaceDatabase(request)
  expect(backup?.manifest).toMatchObject({ local_ahead: 0, tables_ahead: { user_prompts: 2 } })
  const { pinned } = await removeOldBackups(node.path('backups'), LIMITS, new Date('2027-01-01T00:00:00Z'))
  expect(pinned).toEqual(['20260304-050607'])
})

test('what the queue of the worker has not processed is lost by a pull as well: told, and pinned', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: { rows: 3 }, remote: { rows: 3 } })
  const queue = "('pending'), ('processing'), ('new'), (NULL), ('processed'), ('failed')"
  change(request.database, `INSERT INTO pending_messages (status) VALUES ${queue}`)
  const backup = await replaceDatabase(request)
  expect(backup?.manifest).toMatchObject({ local_ahead: 0, tables_ahead: { pending_messages: 4 } })
  const { pinned } = await removeOldBackups(node.path('backups'), LIMITS, new Date('2027-01-01T00:00:00Z'))
  expect(pinned).toEqual(['20260304-050607'])
})

test('what the remote copy has in its queue, too, is not ahead, whatever came of it there', () => {
  const node = makeNodeHome()
  const [here, there] = ['here.db', 'there.db'].map((name) => makeMemoryFile(node.path(name))) as [
    string,
    string,
  ]
  for (const file of [here, there]) change(file, 'ALTER TABLE pending_messages ADD COLUMN tool_input TEXT')
  const put = (file: string, rows: string) =>
    change(file, `INSERT INTO pending_messages (id, status, tool_input) VALUES ${rows}`)
  put(here, "(1, 'pending', 'a'), (2, 'pending', 'b'), (3, 'pending', 'only here'), (4, 'pending', NULL)")
  put(there, "(1, 'pending', 'a'), (2, 'processed', 'b'), (3, 'pending', 'only there'), (4, 'failed', NULL)")
  expect(countTablesAhead(here, there)).toEqual({ pending_messages: 1 })
  change(there, 'DROP TABLE pending_messages')
  expect(countTablesAhead(here, there)).toEqual({ pending_messages: 4 })
})

test('only a removable backup goes, whatever the limits', async () => {
  const node = makeNodeHome()
  const [old = '', made = ''] = ['20260101-000000', '20260102-000000'].map((name) => addBackup(node, name, 0))
  const limits = { maxDays: 0, maxCount: 0, removable: [old] }
  expect(await removeOldBackups(node.path('backups'), limits, NOW)).toMatchObject({
    removed: [old],
    kept: [made],
  })
})

test('the vector index is copied through SQLite; one that cannot be read is named and stops nothing', async () => {
  const node = makeNodeHome()
  const first = await makePull(node, { local: { rows: 1 }, remote: { rows: 2 } })
  fs.mkdirSync(node.path('memory', 'vector-db'))
  makeMemoryFile(first.backup.chroma, { rows: 5 })
  const whole = await replaceDatabase(first)
  expect(whole?.manifest.chroma).toBe('copied')
  expect(titlesOf(`${whole?.folder}/chroma.sqlite3`)).toHaveLength(5)
  expect(fs.statSync(`${whole?.folder}/chroma.sqlite3`).mode & 0o777).toBe(0o600)
  fs.writeFileSync(first.backup.chroma, 'x'.repeat(5000))
  const second = await replaceDatabase(await fetchCopy(node, { rows: 3 }))
  expect(second?.manifest.chroma).toMatch(/^not copied: .*is not an SQLite database/)
  expect(second?.folder).toBe(node.path('backups', '20260304-050607-2'))
})

/** A backup of a day with its manifest; none when `ahead` is null. */
function addBackup(node: NodeHome, name: string, ahead: number | boolean | null): string {
  const text = ahead === null ? '{' : JSON.stringify({ local_ahead: ahead })
  node.write(`backups/${name}/manifest.json`, text)
  return name
}

test('those older than the limit go, newer ones and those that are ahead stay', async () => {
  const node = makeNodeHome()
  const old = addBackup(node, '20260305-235959', 0)
  const young = addBackup(node, '20260306-000000', 0)
  const ahead = addBackup(node, '20250101-000000', 3)
  const aheadByOldNode = addBackup(node, '20250101-000001', true)
  const unreadable = addBackup(node, '20250101-000002', null)
  node.write('backups/20250101-000003/claude-mem.db', '')
  node.write('backups/my own folder/file', '')
  const report = await removeOldBackups(node.path('backups'), LIMITS, NOW)
  expect(report).toEqual({
    removed: [old],
    kept: [young],
    pinned: [ahead, aheadByOldNode, unreadable, '20250101-000003'],
  })
  expect(fs.readdirSync(node.path('backups')).sort()).toEqual([...report.pinned, young, 'my own folder'])
})

test('beyond the limit in number the oldest go; pinned ones are not counted', async () => {
  const node = makeNodeHome()
  for (let day = 10; day < 20; day++) addBackup(node, `202603${day}-000000`, day % 5 === 0 ? 1 : 0)
  const { removed, pinned } = await removeOldBackups(node.path('backups'), { maxDays: 14, maxCount: 3 }, NOW)
  expect(pinned).toEqual(['20260310-000000', '20260315-000000'])
  expect(removed).toEqual(['11', '12', '13', '14', '16'].map((day) => `202603${day}-000000`))
})

test('what a killed process left is removed, what a living one is at stays', async () => {
  const node = makeNodeHome()
  node.write('backups/.partial-999999999-abc/claude-mem.db', '')
  node.write('backups/.removing-999999999-20260101-000000/claude-mem.db', '')
  node.write(`backups/.partial-${process.pid}-abc/claude-mem.db`, '')
  await removeOldBackups(node.path('backups'), LIMITS, NOW)
  expect(fs.readdirSync(node.path('backups'))).toEqual([`.partial-${process.pid}-abc`])
})

test('no folder of backups is no fault', async () => {
  const node = makeNodeHome()
  expect(await removeOldBackups(node.path('backups'), LIMITS, NOW)).toEqual({
    removed: [],
    kept: [],
    pinned: [],
  })
})
