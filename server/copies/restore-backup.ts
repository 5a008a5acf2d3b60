/**
 * Brings what a verified archive holds into empty places: a database that was migrated as far as the archive's, an object
 * store, a repository that does not exist yet.
 *
 * The archive is read once, in its order; rows arrive in one transaction that is committed after everything else stands and
 * every count of the manifest is met. So a fault, or a kill, leaves a database without rows.
 */
import pg from 'pg'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { TEXT_SETTINGS } from './copied-tables.ts'
import { gardenName, isGardenEntry, measureGarden } from './copy-garden.ts'
import { isObjectEntry, LARGE_BYTES, loadLargeObject, loadObject, strangerIn } from './copy-objects.ts'
import { openTableLoader, type TableLoader } from './load-database.ts'
import { BackupUnusable, type Manifest, SECRETS_ENTRY } from './manifest.ts'
import { type ArchiveEntry, readArchive, type VerifiedArchive } from './read-archive.ts'

export type RestoreTarget = {
  /** The address of the database for the owner of its tables. */
  url: string
  store: Pick<ObjectStore, 'list' | 'create' | 'createFrom'>
  /** A folder on a disk with room for the largest object; it is made when there is one to hold. */
  spool: string
  /** Larger objects are streamed; LARGE_BYTES unless a test lowers it. */
  largeBytes?: number | undefined
  /** Writes one file of the repository. */
  receiveGardenFile(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  openGarden(): Promise<GitRepository>
  /** Makes the ledger that of its new home, in the transaction that brings the rows. */
  bind(client: pg.ClientBase): Promise<void>
  say: (text: string) => void
}

/** Objects that are written at the same time. */
const AT_ONCE = 16

export async function restoreBackup(archive: VerifiedArchive, target: RestoreTarget): Promise<void> {
  const stranger = await strangerIn(target.store, archive.digests)
  if (stranger !== null)
    throw new Error(`The object store is not empty (it holds ${stranger}): name an empty bucket`)
  const client = new pg.Client({ connectionString: target.url, application_name: 'garden-bloom-restore' })
  client.on('error', () => {}) // The failing query reports it.
  await client.connect()
  try {
    await client.query(TEXT_SETTINGS)
    const tables = await openTableLoader(client, archive.manifest)
    const objects = await loadEntries(archive, target, tables)
    expectCount('objects', objects, archive.manifest.objects)
    target.say(`${objects} objects`)
    await verifyGarden(target, archive.manifest)
    await tables.finish(() => target.bind(client))
    const rows = archive.manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    target.say(`${rows} rows of ${archive.manifest.tables.length} tables`)
  } finally {
    await client.end()
  }
}

/** The database, if it exists, is fit to be restored into: nothing has ever happened in it. */
export async function isUntouched(client: pg.ClientBase): Promise<boolean> {
  const { rows: there } = await client.query<{ made: boolean }>(
    `SELECT to_regclass('event') IS NOT NULL OR to_regclass('account') IS NOT NULL AS made`,
  )
  if (!there[0]?.made) return true
  const { rows } = await client.query<{ used: boolean }>(
    'SELECT EXISTS (SELECT FROM event) OR EXISTS (SELECT FROM account) AS used',
  )
  return !rows[0]?.used
}

/** Takes out every entry; how many objects there were. */
async function loadEntries(
  archive: VerifiedArchive,
  target: RestoreTarget,
  tables: TableLoader,
): Promise<number> {
  const writing = new Set<Promise<void>>()
  let fault: unknown = null
  let objects = 0
  const takeObject = async (entry: ArchiveEntry) => {
    objects++
    if (entry.size > (target.largeBytes ?? LARGE_BYTES))
      return await loadLargeObject(target, entry, archive.digests.get(entry.name))
    const bytes = await entry.bytes()
    const written = loadObject(target.store, entry.name, bytes)
      .catch((error: unknown) => {
        fault ??= error
      })
      .finally(() => writing.delete(written))
    writing.add(written)
    if (writing.size >= AT_ONCE) await Promise.race(writing)
    if (fault) throw fault
  }
  try {
    await readArchive(archive, async (entry) => {
      if (isObjectEntry(entry.name)) await takeObject(entry)
      else if (isGardenEntry(entry.name)) await target.receiveGardenFile(gardenName(entry), entry.chunks)
      else if (tables.takes(entry.name)) await tables.load(entry)
      else if (entry.name === SECRETS_ENTRY) await entry.bytes()
      else throw new BackupUnusable(`${entry.name} is nothing that a backup holds`)
    })
  } finally {
    await Promise.all(writing)
  }
  if (fault) throw fault
  return objects
}

async function verifyGarden(target: RestoreTarget, { garden: expected }: Manifest): Promise<void> {
  const garden = await target.openGarden()
  const head = await garden.head()
  if (head !== expected.head)
    throw new BackupUnusable(`the garden stands on ${head} instead of ${expected.head}`)
  const found = await measureGarden(garden, head)
  expectCount('commits', found.commits, expected.commits)
  expectCount('files of the garden', found.files, expected.files)
  target.say(`${found.commits} commits, ${found.files} files of the garden`)
}

function expectCount(what: string, found: number, expected: number): void {
  if (found !== expected) throw new BackupUnusable(`there are ${found} ${what} instead of ${expected}`)
}
