import { randomUUID } from 'node:crypto'
import { copyFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { migrate } from '#server/launch/migrate.mjs'
import { SERVER_VARIABLE } from '#server/launch/testing/test-postgres.ts'
import { type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import { noteOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { verifyArchive } from './read-archive.ts'
import { isUntouched } from './restore-backup.ts'

import { copyRoom, inDatabase, NEW_HOME, objectsOf, project, rowsOf } from './testing/copy-room.ts'

const room = copyRoom()
const { backup, restore, proposeAndApprove, judge } = room

const TABLES = [
  'account',
  'agent',
  'artifact',
  'audit_head',
  'event',
  'event_seal',
  'idempotency_key',
  'inbox_entry',
  'job',
  'proposal',
  'run',
  'run_call',
  'run_step',
  'state_edge',
  'zone',
]
describe('a backup', () => {
  test('of a home at rest gives the same rows, objects and garden, without its sessions', async () => {
    await proposeAndApprove()
    await proposeAndApprove()
    await applyDue(room.kit.engine())
    await propose(room.kit, noteOf('New/Waiting.md', 'tab\t, line\\n and Ω\n\\.\n'))
    await room.kit.store.create(`artifacts/sha256/${sha256Hex('x')}`, Buffer.from('x'))
    await inDatabase(
      room.source.url,
      `INSERT INTO account (account_id, role, name, created_by) VALUES ('owner', 'owner', 'owner', 'x');
       INSERT INTO session (sid, role, identity, account_id, expires_at) VALUES ('s', 'owner', 'owner', 'owner', now() + interval '1 day');
       INSERT INTO rate_slice VALUES ('s', now(), 1)`,
    )
    await project(room.kit)
    const made = await backup()
    expect((await stat(room.file)).mode & 0o777).toBe(0o600)
    expect(sha256Hex(await readFile(room.file))).toBe(made.sha256)
    const restored = await restore()
    for (const table of TABLES)
      expect(await rowsOf(room.database.url, table), table).toEqual(await rowsOf(room.source.url, table))
    expect(await objectsOf(restored.store)).toEqual(await objectsOf(room.kit.store))
    expect(await restored.garden.log()).toEqual(await room.kit.garden.log())
    expect(await restored.garden.list()).toEqual(await room.kit.garden.list())
    expect(await inDatabase(room.database.url, 'SELECT ended_at IS NULL AS open FROM session')).toEqual([
      { open: false },
    ])
    expect(await inDatabase(room.database.url, 'SELECT home_id FROM installation')).toEqual([
      { home_id: NEW_HOME },
    ])
    expect(await rowsOf(room.database.url, 'rate_slice')).toEqual([])
  })

  test('of a home at work is one moment: what the ledger names is there, and nothing that came later', async () => {
    let working = true
    const engine = room.kit.engine()
    const loop = async (work: () => Promise<unknown>) => {
      while (working) await work()
    }
    for (let i = 0; i < 5; i++) await proposeAndApprove()
    await applyDue(engine)
    await project(room.kit)
    const load = Promise.all([
      loop(proposeAndApprove),
      loop(() => applyDue(engine, () => !working)),
      loop(() => project(room.kit)),
    ])
    try {
      await backup()
      await rm(room.file)
      await backup()
    } finally {
      working = false
    }
    await load
    const events = await judge(await restore())
    expect(events).toBeGreaterThan(20)
  })

  test('is of one moment whatever happens between the reading of its parts', async () => {
    const change = async () => {
      await proposeAndApprove()
      await applyDue(room.kit.engine())
      await project(room.kit)
    }
    await change()
    const changing = {
      get: room.kit.store.get.bind(room.kit.store),
      open: room.kit.store.open.bind(room.kit.store),
      list: async (...args: Parameters<ObjectStore['list']>) => {
        const listed = await room.kit.store.list(...args)
        await change()
        return listed
      },
    }
    await backup(changing, change)
    await judge(await restore())
  })

  test('goes on after it is restored: guards, order of events and sealing', async () => {
    await proposeAndApprove()
    await project(room.kit)
    await inDatabase(
      room.source.url,
      `ALTER TABLE event_head DISABLE TRIGGER USER; UPDATE event_head SET mark_id = low + 1000, mark_xid = '900000000';
       ALTER TABLE event_head ENABLE TRIGGER USER`,
    )
    await backup()
    const restored = await restore()
    const [before] = await inDatabase(room.database.url, 'SELECT max(id)::int AS id FROM event')
    await applyDue(restored.engine())
    await project(restored)
    await project(restored)
    const [after] = await inDatabase(room.database.url, 'SELECT max(id)::int AS id FROM event')
    expect(Number(after?.id)).toBeGreaterThan(Number(before?.id))
    await propose(restored, noteOf('New/After.md', '# After\n'))
    // The mark waits for the end of every transaction on the server, those of other tests included.
    const low = async () => {
      await project(restored)
      const [head] = await inDatabase(room.database.url, 'SELECT low::int FROM event_head')
      return Number(head?.low)
    }
    await expect.poll(low, { timeout: 60_000 }).toBeGreaterThanOrEqual(Number(after?.id) - 1)
    await expect(inDatabase(room.database.url, 'DELETE FROM event')).rejects.toThrow(/append-only/)
    await expect(inDatabase(room.database.url, `UPDATE proposal SET status = 'PENDING'`)).rejects.toThrow(
      /may not go/,
    )
    expect(await restored.db.query(sql`SELECT 1 FROM pg_trigger WHERE tgenabled = 'D'`)).toMatchObject({
      rowCount: 0,
    })
  })

  test('that cannot read every part leaves nothing', async () => {
    await proposeAndApprove()
    await project(room.kit)
    const failing = {
      list: room.kit.store.list.bind(room.kit.store),
      get: room.kit.store.get.bind(room.kit.store),
      open: async (key: string) => {
        if (key.startsWith('proposals/')) throw new Error('no answer')
        return room.kit.store.open(key)
      },
    }
    await expect(backup(failing)).rejects.toThrow('no answer')
    expect(await readdir(room.base)).toEqual([])
    await inDatabase(room.source.url, `UPDATE installation SET home_id = '${NEW_HOME}'`)
    await expect(backup()).rejects.toThrow(/belongs to home/)
    expect(await readdir(room.base)).toEqual([])
  })

  test('overwrites no file, and not what another one is writing', async () => {
    await writeFile(`${room.file}.partial`, 'another')
    await expect(backup()).rejects.toThrow(/another backup is being written/)
    expect(await readFile(`${room.file}.partial`, 'utf8')).toBe('another')
    await rm(`${room.file}.partial`)
    await writeFile(room.file, 'mine')
    await expect(backup()).rejects.toThrow(/exists already/)
    expect(await readFile(room.file, 'utf8')).toBe('mine')
  })
})

describe('a restore', () => {
  const untouched = async () => {
    const client = new pg.Client({ connectionString: room.database.url })
    await client.connect()
    try {
      return await isUntouched(client)
    } finally {
      await client.end()
    }
  }

  test('refuses a file that is damaged, cut short, or was changed and packed again', async () => {
    await proposeAndApprove()
    await project(room.kit)
    await backup()
    const good = join(room.base, 'good')
    await copyFile(room.file, good)
    const { size } = await stat(good)
    const bytes = await readFile(good)
    for (const at of [0.05, 0.3, 0.6, 0.9]) {
      const bad = Buffer.from(bytes)
      const place = Math.floor(size * at)
      bad[place] = (bad[place] ?? 0) ^ 0x10
      await writeFile(room.file, bad)
      await expect(verifyArchive(room.file), `byte ${place}`).rejects.toThrow(/cannot be used/)
    }
    for (const length of [0, 100, Math.floor(size / 2), size - 20]) {
      await copyFile(good, room.file)
      await truncate(room.file, length)
      await expect(verifyArchive(room.file), `${length} bytes`).rejects.toThrow(/cannot be used/)
    }
    const text = gunzipSync(bytes).toString('latin1')
    expect(text).toContain('# Note')
    await writeFile(room.file, gzipSync(Buffer.from(text.replace('# Note', '# Nope'), 'latin1')))
    await expect(verifyArchive(room.file)).rejects.toThrow(/missing or damaged/)
    await writeFile(room.file, gzipSync(Buffer.from(text.replace('"rows": 1', '"rows": 2'), 'latin1')))
    await expect(restore()).rejects.toThrow(/rows instead of/)
    expect(await untouched()).toBe(true)
  })

  test('that fails in the middle leaves a database in which nothing has happened', async () => {
    await proposeAndApprove()
    await project(room.kit)
    await backup()
    const failing = await openDirectoryStore(join(room.base, 'failing'))
    let left = 3
    failing.create = async () => {
      if (left-- > 0) return { created: true, etag: '' }
      throw new Error('disk full')
    }
    await expect(restore({ store: failing })).rejects.toThrow('disk full')
    expect(await untouched()).toBe(true)
    const bind = async () => {
      throw new Error('killed')
    }
    await expect(restore({ bind })).rejects.toThrow('killed')
    expect(await untouched()).toBe(true)
    await restore()
    expect(await untouched()).toBe(false)
  })

  test('takes the owner of the database and no superuser', async () => {
    await proposeAndApprove()
    await project(room.kit)
    await backup()
    const name = `owner_${randomUUID().slice(0, 8)}`
    const server = process.env[SERVER_VARIABLE] ?? ''
    await inDatabase(server, `CREATE ROLE ${name} LOGIN PASSWORD 'secret' NOSUPERUSER CREATEROLE`)
    await inDatabase(server, `CREATE DATABASE ${name} OWNER ${name}`)
    const url = new URL(room.database.url)
    url.username = name
    url.password = 'secret'
    url.pathname = `/${name}`
    try {
      await migrate(url.toString())
      await restore({ url: url.toString() })
      for (const table of TABLES)
        expect(await rowsOf(url.toString(), table), table).toEqual(await rowsOf(room.source.url, table))
    } finally {
      await inDatabase(server, `DROP DATABASE ${name} WITH (FORCE)`)
      await inDatabase(server, `DROP OWNED BY ${name}; DROP ROLE ${name}`)
    }
  })

  test('refuses a store in which something else lies, and goes on with what an interrupted one left', async () => {
    await proposeAndApprove()
    await project(room.kit)
    await backup()
    const store = await openDirectoryStore(join(room.base, 'used'))
    await store.create('somebody/else.json', Buffer.from('{}'))
    await expect(restore({ store })).rejects.toThrow(/not empty \(it holds somebody\/else\.json\)/)
    await store.remove('somebody/else.json')
    const [key = ''] = (await room.kit.store.list('proposals/')).keys
    await store.create(key, (await room.kit.store.get(key))?.bytes ?? new Uint8Array())
    await restore({ store })
    expect(await objectsOf(store)).toEqual(await objectsOf(room.kit.store))
  })
})
