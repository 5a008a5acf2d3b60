import { randomBytes, randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import {
  makeRepository,
  receiveRepositoryFile,
  repositoryFiles,
  whileBranchStands,
} from '#server/adapters/git-repository/repository-copy.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { applyDue, recoverApplying } from '#server/apply/apply-due.ts'
import { checkConsistency } from '#server/apply/check-consistency.ts'
import { signHead } from '#server/audit/sign-head.ts'
import { verifyNow } from '#server/audit/testing/verify-now.ts'
import type { Env } from '#server/env.ts'
import { becomeHome } from '#server/launch/identity.mjs'
import { migrate } from '#server/launch/migrate.mjs'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { SERVER_VARIABLE } from '#server/launch/testing/test-postgres.ts'
import { sealBatch } from '#server/ledger/seal.ts'
import { consume } from '#server/outbox/consume.ts'
import { projectEvents } from '#server/outbox/project-events.ts'
import { type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import {
  approve,
  type Kit,
  makeGarden,
  noteOf,
  openKit,
  propose,
} from '#server/proposals/testing/garden-kit.ts'
import { keysBelow } from './copy-objects.ts'
import { type BackupSource, makeBackup } from './make-backup.ts'
import { verifyArchive } from './read-archive.ts'
import { isUntouched, type RestoreTarget, restoreBackup } from './restore-backup.ts'

const HOME = '00000000-0000-4000-8000-00000000000a'
const SIGNING = { AUDIT_SIGNING_KEY: 'k'.repeat(43) } as Env
const NEW_HOME = '00000000-0000-4000-8000-00000000000b'

let base: string
let file: string
let kit: Kit
let source: TestDatabase
let database: TestDatabase
const opened: Kit[] = []

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'bloom-copies-'))
  file = join(base, 'backup.tar.gz')
  source = await createTestDatabase()
  database = await createTestDatabase()
  kit = await openKit(await makeGarden(), source)
  opened.push(kit)
  await inDatabase(source.url, `INSERT INTO installation (home_id) VALUES ('${HOME}')`)
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await source.drop()
  await database.drop()
  await rm(kit.folder, { recursive: true })
  await rm(base, { recursive: true })
})

async function inDatabase(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

const backup = (
  store: BackupSource['store'] = kit.store,
  betweenObjectsAndRows: () => Promise<void> = async () => {},
  largeBytes?: number,
) =>
  makeBackup(
    {
      url: source.url,
      homeId: HOME,
      productVersion: '1.0.0',
      store,
      garden: kit.garden,
      gardenFiles: {
        gitdir: kit.gitdir,
        whileBranchStands: async (work) => {
          await betweenObjectsAndRows()
          return await whileBranchStands(kit.gitdir, work)
        },
        files: () => repositoryFiles(kit.gitdir),
      },
      secrets: Buffer.from('{}'),
      now: () => new Date(),
      say: () => {},
      largeBytes,
    },
    file,
  )

/** The home that the backup is restored into, beside the file. */
async function restore(more: Partial<RestoreTarget> = {}): Promise<Kit> {
  const home = join(base, `home-${randomUUID()}`)
  const gitdir = join(home, 'garden.git')
  await makeRepository(gitdir)
  await restoreBackup(await verifyArchive(file), {
    url: database.url,
    store: await openDirectoryStore(join(home, 'store')),
    spool: join(home, 'spool'),
    receiveGardenFile: (name, chunks) => receiveRepositoryFile(gitdir, name, chunks),
    openGarden: () => openGitRepository(gitdir),
    bind: (client) => becomeHome(client, NEW_HOME),
    say: () => {},
    ...more,
  })
  const restored = await openKit(home, database)
  opened.push(restored)
  return restored
}

/** Seals and projects everything that has happened. */
async function project(one: Kit): Promise<void> {
  const parts = { ...one.worker, projectRun: async () => {} }
  const consumer = {
    name: 'projector',
    holder: 'test',
    handle: (events: Parameters<typeof projectEvents>[1]) => projectEvents(parts, events),
  }
  let left = 1
  while (left > 0) left = (await sealBatch(one.worker.db)) + (await consume(one.worker.db, consumer))
  await signHead({ ...one.worker, env: SIGNING })
}

let notes = 0
async function proposeAndApprove(): Promise<void> {
  notes++
  await approve(kit, await propose(kit, noteOf(`New/${notes}.md`, `# Note ${notes}\n`)))
}

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
const rowsOf = async (url: string, table: string) =>
  (await inDatabase(url, `SELECT t::text AS row FROM ${table} t ORDER BY 1`)).map(({ row }) => row)

async function objectsOf(store: ObjectStore): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const key of keysBelow(store, [''])) found[key] = sha256Hex((await store.get(key))?.bytes ?? '')
  return found
}

/** Lets a restored home go on until it is at rest, and expects that its parts agree; how many events it began with. */
async function judge(restored: Kit): Promise<number> {
  const all = new Set(await rowsOf(source.url, 'event'))
  const events = await rowsOf(database.url, 'event')
  expect(events.filter((row) => !all.has(row))).toEqual([])
  await recoverApplying(restored.engine())
  await applyDue(restored.engine())
  await project(restored)
  expect(await checkConsistency(restored.worker)).toEqual([])
  const known = await inDatabase(database.url, 'SELECT event_id FROM event')
  const mirrored = Object.keys(await objectsOf(restored.store)).filter((key) => key.startsWith('audit/2'))
  expect(mirrored.map((key) => key.slice(15, -5)).sort()).toEqual(known.map((row) => row.event_id).sort())
  const audit = await verifyNow({ ...restored.worker, env: SIGNING }, restored)
  expect(audit).toMatchObject({ faults: [], waiting: 0 })
  return events.length
}

describe('a backup', () => {
  test('of a home at rest gives the same rows, objects and garden, without its sessions', async () => {
    await proposeAndApprove()
    await proposeAndApprove()
    await applyDue(kit.engine())
    await propose(kit, noteOf('New/Waiting.md', 'tab\t, line\\n and Ω\n\\.\n'))
    await kit.store.create(`artifacts/sha256/${sha256Hex('x')}`, Buffer.from('x'))
    await inDatabase(
      source.url,
      `INSERT INTO account (account_id, role, name, created_by) VALUES ('owner', 'owner', 'owner', 'x');
       INSERT INTO session (sid, role, identity, account_id, expires_at) VALUES ('s', 'owner', 'owner', 'owner', now() + interval '1 day');
       INSERT INTO rate_slice VALUES ('s', now(), 1)`,
    )
    await project(kit)
    const made = await backup()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(sha256Hex(await readFile(file))).toBe(made.sha256)
    const restored = await restore()
    for (const table of TABLES)
      expect(await rowsOf(database.url, table), table).toEqual(await rowsOf(source.url, table))
    expect(await objectsOf(restored.store)).toEqual(await objectsOf(kit.store))
    expect(await restored.garden.log()).toEqual(await kit.garden.log())
    expect(await restored.garden.list()).toEqual(await kit.garden.list())
    expect(await inDatabase(database.url, 'SELECT ended_at IS NULL AS open FROM session')).toEqual([
      { open: false },
    ])
    expect(await inDatabase(database.url, 'SELECT home_id FROM installation')).toEqual([
      { home_id: NEW_HOME },
    ])
    expect(await rowsOf(database.url, 'rate_slice')).toEqual([])
  })

  test('of a home at work is one moment: what the ledger names is there, and nothing that came later', async () => {
    let working = true
    const engine = kit.engine()
    const loop = async (work: () => Promise<unknown>) => {
      while (working) await work()
    }
    for (let i = 0; i < 5; i++) await proposeAndApprove()
    await applyDue(engine)
    await project(kit)
    const load = Promise.all([
      loop(proposeAndApprove),
      loop(() => applyDue(engine, () => !working)),
      loop(() => project(kit)),
    ])
    try {
      await backup()
      await rm(file)
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
      await applyDue(kit.engine())
      await project(kit)
    }
    await change()
    const changing = {
      get: kit.store.get.bind(kit.store),
      open: kit.store.open.bind(kit.store),
      list: async (...args: Parameters<ObjectStore['list']>) => {
        const listed = await kit.store.list(...args)
        await change()
        return listed
      },
    }
    await backup(changing, change)
    await judge(await restore())
  })

  test('goes on after it is restored: guards, order of events and sealing', async () => {
    await proposeAndApprove()
    await project(kit)
    await inDatabase(
      source.url,
      `ALTER TABLE event_head DISABLE TRIGGER USER; UPDATE event_head SET mark_id = low + 1000, mark_xid = '900000000';
       ALTER TABLE event_head ENABLE TRIGGER USER`,
    )
    await backup()
    const restored = await restore()
    const [before] = await inDatabase(database.url, 'SELECT max(id)::int AS id FROM event')
    await applyDue(restored.engine())
    await project(restored)
    await project(restored)
    const [after] = await inDatabase(database.url, 'SELECT max(id)::int AS id FROM event')
    expect(Number(after?.id)).toBeGreaterThan(Number(before?.id))
    await propose(restored, noteOf('New/After.md', '# After\n'))
    // The mark waits for the end of every transaction on the server, those of other tests included.
    const low = async () => {
      await project(restored)
      const [head] = await inDatabase(database.url, 'SELECT low::int FROM event_head')
      return Number(head?.low)
    }
    await expect.poll(low, { timeout: 60_000 }).toBeGreaterThanOrEqual(Number(after?.id) - 1)
    await expect(inDatabase(database.url, 'DELETE FROM event')).rejects.toThrow(/append-only/)
    await expect(inDatabase(database.url, `UPDATE proposal SET status = 'PENDING'`)).rejects.toThrow(
      /may not go/,
    )
    expect(await restored.db.query(sql`SELECT 1 FROM pg_trigger WHERE tgenabled = 'D'`)).toMatchObject({
      rowCount: 0,
    })
  })

  test('that cannot read every part leaves nothing', async () => {
    await proposeAndApprove()
    await project(kit)
    const failing = {
      list: kit.store.list.bind(kit.store),
      get: kit.store.get.bind(kit.store),
      open: async (key: string) => {
        if (key.startsWith('proposals/')) throw new Error('no answer')
        return kit.store.open(key)
      },
    }
    await expect(backup(failing)).rejects.toThrow('no answer')
    expect(await readdir(base)).toEqual([])
    await inDatabase(source.url, `UPDATE installation SET home_id = '${NEW_HOME}'`)
    await expect(backup()).rejects.toThrow(/belongs to home/)
    expect(await readdir(base)).toEqual([])
  })

  test('holds every snapshot that a pointer in it names, though pushes commit while it is made', async () => {
    const keys = projectKeys('abcdefabcdef')
    let pushes = 0
    let last = Promise.resolve()
    const push = () => {
      last = last.then(pushNext)
      return last
    }
    const pushNext = async () => {
      const text = `snapshot ${++pushes}`
      const sha256 = sha256Hex(text)
      await kit.store.create(keys.snapshot(sha256), Buffer.from(text))
      for (const key of [keys.lease, keys.pointer]) {
        const standing = await kit.store.get(key)
        await kit.store.replace(key, Buffer.from(JSON.stringify({ sha256, pushes })), standing?.etag ?? null)
      }
    }
    for (let i = 0; i < 20; i++) await push()
    /** Reading the pointer, or the lease, takes as long as three pushes. */
    const pushing = async (key: string) => {
      if (key === keys.pointer || key === keys.lease) for (let i = 0; i < 3; i++) await push()
    }
    const spy = {
      list: kit.store.list.bind(kit.store),
      get: async (key: string) => {
        await pushing(key)
        return kit.store.get(key)
      },
      open: async (key: string) => {
        await pushing(key)
        return kit.store.open(key)
      },
    }
    await backup(spy)
    const { store } = await restore()
    const read = async (key: string) => JSON.parse(String(Buffer.from((await store.get(key))?.bytes ?? '')))
    const pointer = await read(keys.pointer)
    expect(await store.list(keys.snapshot(pointer.sha256))).toMatchObject({
      keys: [keys.snapshot(pointer.sha256)],
    })
    expect((await read(keys.lease)).pushes).toBeGreaterThanOrEqual(pointer.pushes)
  })

  test('and its restore hold no large object in memory', async () => {
    const keys = projectKeys('abcdefabcdef')
    const large = [3_000_000, 1001].map((size) => randomBytes(size))
    for (const bytes of large) await kit.store.create(keys.snapshot(sha256Hex(bytes)), bytes)
    await kit.store.create(keys.mirror, randomBytes(200_000))
    await kit.store.create(keys.snapshot(sha256Hex('exactly')), randomBytes(1000))
    const refuse = (key: string, size: number) => {
      if (size > 1000) throw new Error(`${size} bytes of ${key} in memory at once`)
    }
    const reading = {
      list: kit.store.list.bind(kit.store),
      open: kit.store.open.bind(kit.store),
      get: async (key: string) => {
        const object = await kit.store.get(key)
        refuse(key, object?.bytes.length ?? 0)
        return object
      },
    }
    await backup(reading, undefined, 1000)
    const to = await openDirectoryStore(join(base, 'large'))
    const writing = {
      list: to.list.bind(to),
      createFrom: to.createFrom.bind(to),
      create: async (key: string, bytes: Uint8Array) => {
        refuse(key, bytes.length)
        return to.create(key, bytes)
      },
    }
    const spool = join(base, 'spool')
    await restore({ store: writing, spool, largeBytes: 1000 })
    expect(await objectsOf(to)).toEqual(await objectsOf(kit.store))
    expect(await readdir(spool)).toEqual([])
  })

  test('overwrites no file, and not what another one is writing', async () => {
    await writeFile(`${file}.partial`, 'another')
    await expect(backup()).rejects.toThrow(/another backup is being written/)
    expect(await readFile(`${file}.partial`, 'utf8')).toBe('another')
    await rm(`${file}.partial`)
    await writeFile(file, 'mine')
    await expect(backup()).rejects.toThrow(/exists already/)
    expect(await readFile(file, 'utf8')).toBe('mine')
  })
})

describe('a restore', () => {
  const untouched = async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      return await isUntouched(client)
    } finally {
      await client.end()
    }
  }

  test('refuses a file that is damaged, cut short, or was changed and packed again', async () => {
    await proposeAndApprove()
    await project(kit)
    await backup()
    const good = join(base, 'good')
    await copyFile(file, good)
    const { size } = await stat(good)
    const bytes = await readFile(good)
    for (const at of [0.05, 0.3, 0.6, 0.9]) {
      const bad = Buffer.from(bytes)
      const place = Math.floor(size * at)
      bad[place] = (bad[place] ?? 0) ^ 0x10
      await writeFile(file, bad)
      await expect(verifyArchive(file), `byte ${place}`).rejects.toThrow(/cannot be used/)
    }
    for (const length of [0, 100, Math.floor(size / 2), size - 20]) {
      await copyFile(good, file)
      await truncate(file, length)
      await expect(verifyArchive(file), `${length} bytes`).rejects.toThrow(/cannot be used/)
    }
    const text = gunzipSync(bytes).toString('latin1')
    expect(text).toContain('# Note')
    await writeFile(file, gzipSync(Buffer.from(text.replace('# Note', '# Nope'), 'latin1')))
    await expect(verifyArchive(file)).rejects.toThrow(/missing or damaged/)
    await writeFile(file, gzipSync(Buffer.from(text.replace('"rows": 1', '"rows": 2'), 'latin1')))
    await expect(restore()).rejects.toThrow(/rows instead of/)
    expect(await untouched()).toBe(true)
  })

  test('that fails in the middle leaves a database in which nothing has happened', async () => {
    await proposeAndApprove()
    await project(kit)
    await backup()
    const failing = await openDirectoryStore(join(base, 'failing'))
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
    await project(kit)
    await backup()
    const name = `owner_${randomUUID().slice(0, 8)}`
    const server = process.env[SERVER_VARIABLE] ?? ''
    await inDatabase(server, `CREATE ROLE ${name} LOGIN PASSWORD 'secret' NOSUPERUSER CREATEROLE`)
    await inDatabase(server, `CREATE DATABASE ${name} OWNER ${name}`)
    const url = new URL(database.url)
    url.username = name
    url.password = 'secret'
    url.pathname = `/${name}`
    try {
      await migrate(url.toString())
      await restore({ url: url.toString() })
      for (const table of TABLES)
        expect(await rowsOf(url.toString(), table), table).toEqual(await rowsOf(source.url, table))
    } finally {
      await inDatabase(server, `DROP DATABASE ${name} WITH (FORCE)`)
      await inDatabase(server, `DROP OWNED BY ${name}; DROP ROLE ${name}`)
    }
  })

  test('refuses a store in which something else lies, and goes on with what an interrupted one left', async () => {
    await proposeAndApprove()
    await project(kit)
    await backup()
    const store = await openDirectoryStore(join(base, 'used'))
    await store.create('somebody/else.json', Buffer.from('{}'))
    await expect(restore({ store })).rejects.toThrow(/not empty \(it holds somebody\/else\.json\)/)
    await store.remove('somebody/else.json')
    const [key = ''] = (await kit.store.list('proposals/')).keys
    await store.create(key, (await kit.store.get(key))?.bytes ?? new Uint8Array())
    await restore({ store })
    expect(await objectsOf(store)).toEqual(await objectsOf(kit.store))
  })
})
