/** What the tests of backup and restore stand on: a home that is copied, a database that receives the copy, and how two homes are compared. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect } from 'vitest'
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
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
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
import { keysBelow } from '../copy-objects.ts'
import { type BackupSource, makeBackup } from '../make-backup.ts'
import { verifyArchive } from '../read-archive.ts'
import { type RestoreTarget, restoreBackup } from '../restore-backup.ts'

const HOME = '00000000-0000-4000-8000-00000000000a'
const SIGNING = { AUDIT_SIGNING_KEY: 'k'.repeat(43) } as Env
export const NEW_HOME = '00000000-0000-4000-8000-00000000000b'

export async function inDatabase(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Seals and projects everything that has happened. */
export async function project(one: Kit): Promise<void> {
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

export const rowsOf = async (url: string, table: string) =>
  (await inDatabase(url, `SELECT t::text AS row FROM ${table} t ORDER BY 1`)).map(({ row }) => row)

export async function objectsOf(store: ObjectStore): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const key of keysBelow(store, [''])) found[key] = sha256Hex((await store.get(key))?.bytes ?? '')
  return found
}

/** A source and a target for each test of the file. */
export function copyRoom() {
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

  let notes = 0
  async function proposeAndApprove(): Promise<void> {
    notes++
    await approve(kit, await propose(kit, noteOf(`New/${notes}.md`, `# Note ${notes}\n`)))
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

  return {
    /** A folder of the test that runs. */
    get base() {
      return base
    },
    /** Where `backup` writes and `restore` reads. */
    get file() {
      return file
    },
    get kit() {
      return kit
    },
    get source() {
      return source
    },
    get database() {
      return database
    },
    backup,
    restore,
    proposeAndApprove,
    judge,
  }
}
