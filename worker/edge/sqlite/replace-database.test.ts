import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { startChild } from '../testing/child.ts'
import { change, makeMemoryFile, titlesOf, walOf } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { fetchCopy, makePull } from '../testing/pull-kit.ts'
import { digestFile } from './file-digest.ts'
import { folderOf, openTarget } from './install-file.ts'
import { replaceDatabase } from './replace-database.ts'
import { takeSnapshot } from './snapshot.ts'

const OLD = { rows: 3 }
const NEW = { rows: 9 }

function modeOf(file: string): unknown {
  const database = new DatabaseSync(file)
  const { journal_mode } = database.prepare('PRAGMA journal_mode').get() ?? {}
  database.close()
  return journal_mode
}

/** Whether the process has the file open and has become the program it was to be. */
function hasOpen(pid: number, file: string): boolean {
  try {
    const isSleep = fs.readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n'
    return isSleep && fs.readlinkSync(`/proc/${pid}/fd/3`) === file
  } catch {
    return false
  }
}

test('puts the remote copy in the place of the database and keeps what was there', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  fs.chmodSync(request.database, 0o640)
  const backup = await replaceDatabase(request)
  expect(titlesOf(request.database)).toHaveLength(9)
  expect(modeOf(request.database)).toBe('wal')
  expect(fs.statSync(request.database).mode & 0o777).toBe(0o640)
  expect(fs.readdirSync(node.path('memory'))).toEqual(['claude-mem.db'])
  expect(backup?.folder).toBe(node.path('backups', '20260304-050607'))
  expect(titlesOf(backup?.file ?? '')).toHaveLength(3)
  expect((await takeSnapshot(request.database, { maxBytes: 2 ** 31 })).contentSha256).toBe(
    request.remote.contentSha256,
  )
})

test('a node without a database gets one that nobody else can read', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: null, remote: NEW })
  fs.writeFileSync(`${request.database}-wal`, '')
  expect(await replaceDatabase(request)).toBeNull()
  expect(titlesOf(request.database)).toHaveLength(9)
  expect(fs.statSync(request.database).mode & 0o777).toBe(0o600)
})

test('a -wal whose database is gone is neither replayed nor removed', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: null, remote: NEW })
  const wal = walOf(node.path('third.db'))
  fs.writeFileSync(`${request.database}-wal`, wal)
  await expect(replaceDatabase(request)).rejects.toThrow(
    /-wal is left of a database that is not there: rename/,
  )
  expect(fs.readFileSync(`${request.database}-wal`)).toEqual(wal)
  expect(fs.existsSync(request.database)).toBe(false)
})

test('a database that appears meanwhile is not replaced, nor are its companions removed', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: null, remote: NEW })
  const appear = () => {
    makeMemoryFile(request.database, { rows: 2 })
    fs.writeFileSync(`${request.database}-wal`, '')
  }
  await expect(
    replaceDatabase({ ...request, onStep: (step) => step === 'rename' && appear() }),
  ).rejects.toThrow(/claude-mem\.db appeared meanwhile: pull again$/)
  expect(fs.existsSync(`${request.database}-wal`)).toBe(true)
  expect(titlesOf(request.database)).toHaveLength(2)
})

test('a link to a disk that is not mounted stays one', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: null, remote: NEW })
  fs.symlinkSync(node.path('unmounted/real.db'), request.database)
  await expect(replaceDatabase(request)).rejects.toThrow(
    /cannot be looked at \(ENOENT.*mount the disk it links/,
  )
  expect(fs.readlinkSync(request.database)).toBe(node.path('unmounted/real.db'))
})

test('a name that cannot be looked at is not taken for absent', async () => {
  const node = makeNodeHome()
  node.write('file', '')
  await expect(openTarget(node.path('file/claude-mem.db'))).rejects.toThrow(/cannot be looked at \(ENOTDIR/)
})

test('what was fetched into another folder than that of the database is refused before the backup', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: null, remote: NEW })
  fs.mkdirSync(node.path('other'))
  makeMemoryFile(node.path('other', 'real.db'), OLD)
  fs.symlinkSync(node.path('other', 'real.db'), request.database)
  const steps: string[] = []
  await expect(replaceDatabase({ ...request, onStep: (step) => steps.push(step) })).rejects.toThrow(
    /was fetched into .*memory instead of .*other/,
  )
  expect(steps).toEqual([])
  expect(await folderOf(request.database)).toBe(node.path('other'))
})

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

test('rows that exist only here stop it before anything changes, and no copy is left', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: { rows: 4, from: 7 }, remote: NEW })
  await expect(replaceDatabase(request)).rejects.toThrow(
    /^LOCAL AHEAD: 1 row exists only here; nothing was changed\. Push/,
  )
  expect(fs.readdirSync(node.path('backups'))).toEqual([])
  expect(titlesOf(request.database)).toHaveLength(4)
})

test.each(
  ['write', 'hold', 'read', 'lock'].flatMap((mode) => [
    [mode, 'WAL', true] as const,
    [mode, 'rollback', false] as const,
  ]),
)(
  'a process that has the database open (%s, %s mode) stops it, and nothing changes',
  async (mode, _, wal) => {
    const node = makeNodeHome()
    const request = await makePull(node, { local: { ...OLD, wal }, remote: NEW })
    const other = await startChild('live-writer.ts', [request.database, mode])
    await expect(replaceDatabase({ ...request, acceptedLoss: 1e6, busyMs: 100 })).rejects.toThrow(
      /(locked by|in use by) another process|changed (while|after) it was backed up/,
    )
    await other.kill()
    expect(titlesOf(request.database)).toEqual(expect.arrayContaining(['title 1', 'title 2', 'title 3']))
    expect(titlesOf(request.database)).not.toContain('title 9')
    expect(modeOf(request.database)).toBe(wal ? 'wal' : 'delete')
  },
)

test('a process that opens the database right before the rename is told by its number', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: { ...OLD, wal: false }, remote: NEW })
  const warned: string[] = []
  const open = () =>
    spawn('/bin/sh', ['-c', 'exec 3< "$0"; exec sleep 100', request.database], {
      stdio: 'ignore',
    })
  let child: ReturnType<typeof open> | undefined
  onTestFinished(() => void child?.kill('SIGKILL'))
  await replaceDatabase({
    ...request,
    warn: (line) => warned.push(line),
    onStep: (step) => {
      if (step !== 'rename') return
      child = open()
      const until = Date.now() + 10_000
      // The step waits for nobody, so the file is looked for here until the process has it.
      while (Date.now() < until && !hasOpen(child.pid ?? 0, request.database));
    },
  })
  expect(warned).toEqual([
    `process ${child?.pid} (sleep) still has the old database open, and writes into it are lost: restart it`,
  ])
  expect(titlesOf(request.database)).toHaveLength(9)
})

test.each(['remove-companions', 'flush', 'rename'])(
  'a fault before %s gives the database back in WAL mode and free',
  async (failing) => {
    const node = makeNodeHome()
    const request = await makePull(node, { local: OLD, remote: NEW })
    const fail = (step: string) => {
      if (step === failing) throw new Error('no space')
    }
    await expect(replaceDatabase({ ...request, onStep: fail })).rejects.toThrow('no space')
    expect(modeOf(request.database)).toBe('wal')
    change(request.database, "INSERT INTO observations (title) VALUES ('later')")
    expect(fs.readdirSync(node.path('backups'))).toEqual([])
  },
)

test('a fault after the rename says that the new database is in place and where the backup is', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  const fail = (step: string) => {
    if (step === 'flush-folder') throw new Error('EIO: i/o error')
  }
  await expect(replaceDatabase({ ...request, onStep: fail })).rejects.toThrow(
    `the new database is in place, but EIO: i/o error; the backup is in ${node.path('backups', '20260304-050607')}: pull again`,
  )
  expect(titlesOf(request.database)).toHaveLength(9)
  expect(fs.existsSync(node.path('backups', '20260304-050607', 'claude-mem.db'))).toBe(true)
})

test('rows that come between backup and lock stop it', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: OLD, remote: NEW })
  const write = () => change(request.database, "INSERT INTO observations (title) VALUES ('late')")
  const replaced = replaceDatabase({ ...request, onStep: (step) => step === 'leave-wal' && write() })
  await expect(replaced).rejects.toThrow(
    /changed after it was backed up: close what writes to it and pull again$/,
  )
  expect(titlesOf(request.database)).toContain('late')
  expect(fs.readdirSync(node.path('backups'))).toEqual([])
})

test('the backup of rows whose loss was accepted stays, also when the pull fails', async () => {
  const node = makeNodeHome()
  const request = await makePull(node, { local: { rows: 4, from: 7 }, remote: NEW })
  const write = () => change(request.database, "INSERT INTO observations (title) VALUES ('late')")
  await expect(
    replaceDatabase({ ...request, acceptedLoss: 1, onStep: (step) => step === 'leave-wal' && write() }),
  ).rejects.toThrow(/changed after it was backed up/)
  expect(fs.readdirSync(node.path('backups'))).toEqual(['20260304-050607'])
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

test('pulls again and again', async () => {
  const node = makeNodeHome()
  const first = await makePull(node, { local: OLD, remote: NEW })
  await replaceDatabase(first)
  for (let rows = 10; rows < 14; rows++) {
    await replaceDatabase(await fetchCopy(node, { rows }))
    expect(titlesOf(first.database)).toHaveLength(rows)
  }
  expect(fs.readdirSync(node.path('backups'))).toHaveLength(5)
})
