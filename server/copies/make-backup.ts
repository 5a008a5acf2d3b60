/**
 * Makes a backup of a home while it works.
 *
 * The order is what makes the parts fit each other, though each is read at another time:
 *
 * 0. from here on to the end the sweep removes no objects;
 * 1. where each consumer of events stands;
 * 2. projections in the object store: marks of publishers before what they mark, pointers of projects before the snapshots that they
 *    name, each read to the end before the next is listed;
 * 3. while nobody moves the garden's branch: a snapshot of the ledger, and the commit on which the branch stands;
 * 4. the ledger as that snapshot shows it;
 * 5. content-addressed objects, and the audit's signed heads that 4 names: both are written before the row that names them and never
 *    change;
 * 6. the garden's objects, with the branch at the commit of 3.
 *
 * So whatever the ledger names is there, and nothing tells of what the ledger does not know yet. Projections that came between 2
 * and 3 are missing; a restored ledger's consumers continue from 1 and write them again. A proposal that was being applied at 3 is
 * found by the trailer of its commit, as after a crash.
 *
 * Whatever part cannot be reached fails the backup as a whole; no file is left.
 */
import pg from 'pg'
import { headKey } from '#server/audit/sign-head.ts'
import { KEYS } from '#server/audit/trusted-keys.ts'
import { KEEP_OBJECTS } from '#server/objects/removal-lock.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { CONTENT_ADDRESSED, type ObjectStore } from '#server/ports/object-store.ts'
import { TEXT_SETTINGS } from './copied-tables.ts'
import { dumpGarden, type GardenFiles, measureGarden } from './copy-garden.ts'
import { dumpObjects, keysBelow } from './copy-objects.ts'
import { dumpTables } from './dump-database.ts'
import { FORMAT, type Manifest, SECRETS_ENTRY } from './manifest.ts'
import { projections } from './projected-keys.ts'
import { type ArchiveWriter, openArchiveWriter } from './write-archive.ts'

export type BackupSource = {
  /** The address of the ledger for the owner of its tables. */
  url: string
  homeId: string
  productVersion: string
  store: Pick<ObjectStore, 'list' | 'get' | 'open'>
  garden: GitRepository
  gardenFiles: GardenFiles
  /** The text of secrets.json; null leaves it out. */
  secrets: Uint8Array | null
  now: () => Date
  /** Larger objects are streamed; LARGE_BYTES unless a test lowers it. */
  largeBytes?: number | undefined
  say: (text: string) => void
}

export type MadeBackup = { manifest: Omit<Manifest, 'digests_sha256'>; bytes: number; sha256: string }

export async function makeBackup(source: BackupSource, file: string): Promise<MadeBackup> {
  const archive = await openArchiveWriter(file)
  try {
    const manifest = await fillArchive(source, archive)
    return { manifest, ...(await archive.finish(manifest)) }
  } catch (error) {
    await archive.discard()
    throw error
  }
}

async function fillArchive(source: BackupSource, archive: ArchiveWriter): Promise<MadeBackup['manifest']> {
  const client = new pg.Client({ connectionString: source.url, application_name: 'garden-bloom-backup' })
  client.on('error', () => {}) // The failing query reports it.
  await client.connect()
  try {
    await client.query(TEXT_SETTINGS)
    await refuseOther(client, source.homeId)
    await client.query(KEEP_OBJECTS)
    const consumers = await consumersOf(client)
    const { store, say } = source
    let projected = 0
    for (const keys of projections(store)) projected += (await dumpObjects(source, archive, keys)).size
    say(`${projected} projected objects`)
    const head = await source.gardenFiles.whileBranchStands(async (at) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await client.query('SELECT 1') // The snapshot is taken by the first statement.
      return at
    })
    const described = await describe(client)
    const tables = await dumpTables(client, archive)
    say(`${tables.reduce((sum, table) => sum + table.rows, 0)} rows of ${tables.length} tables`)
    const addressed = await dumpObjects(source, archive, keysBelow(store, CONTENT_ADDRESSED))
    say(`${addressed.size} artifacts and contexts`)
    const signed = await dumpObjects(source, archive, signedObjects(client, store))
    const missing = (await namedObjects(client)).filter((key) => !addressed.has(key))
    await client.query('COMMIT')
    reportMissing(missing, addressed.size, say)
    await dumpGarden(source.gardenFiles, archive, head)
    const garden = await measureGarden(source.garden, head)
    say(`${garden.commits} commits, ${garden.files} files of the garden`)
    if (source.secrets) await archive.add(SECRETS_ENTRY, source.secrets)
    return {
      format: FORMAT,
      made_at: source.now().toISOString(),
      product_version: source.productVersion,
      home_id: source.homeId,
      ...described,
      tables,
      consumers,
      garden,
      objects: projected + addressed.size + signed.size,
      missing_objects: missing.length,
      has_secrets: source.secrets !== null,
    }
  } finally {
    await client.end()
  }
}

/** The keys of the audit, and the heads that the rows of the snapshot name: one that was signed later says more than those rows. */
async function* signedObjects(
  client: pg.ClientBase,
  store: Pick<ObjectStore, 'list'>,
): AsyncGenerator<string> {
  yield* keysBelow(store, [KEYS])
  const { rows } = await client.query<{ seq: string }>('SELECT seq FROM audit_head ORDER BY seq')
  for (const { seq } of rows) yield headKey(Number(seq))
}

/** A backup of one home's garden with another one's ledger would be worse than none. */
async function refuseOther(client: pg.ClientBase, homeId: string): Promise<void> {
  const { rows } = await client.query<{ home_id: string }>('SELECT home_id FROM installation')
  if (rows[0]?.home_id !== homeId)
    throw new Error(`The database belongs to home ${rows[0]?.home_id ?? 'none'}, and this is home ${homeId}`)
}

async function consumersOf(client: pg.ClientBase): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; seq: string }>('SELECT name, seq FROM consumer')
  return Object.fromEntries(rows.map(({ name, seq }) => [name, Number(seq)]))
}

/** The content-addressed objects that the rows of the snapshot name. */
async function namedObjects(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ key: string }>(
    `SELECT object_key AS key FROM artifact a WHERE NOT EXISTS (SELECT FROM artifact_removal x WHERE x.artifact_id = a.artifact_id) UNION SELECT context_key FROM job WHERE context_key IS NOT NULL
     UNION SELECT output ->> 'context_object' FROM run_step WHERE step = 1 AND output ? 'context_object'`,
  )
  return rows.map(({ key }) => key)
}

/** A hole that is there already must not prevent the backup of the rest; a store that holds nothing is the wrong one. */
function reportMissing(missing: readonly string[], found: number, say: (text: string) => void): void {
  if (missing.length === 0) return
  const what = `${missing.length} objects that the ledger names, such as ${missing[0]}`
  if (found === 0) throw new Error(`The object store has none of the ${what}`)
  say(`Missing in the object store, and so in this backup: ${what}`)
}

async function describe(client: pg.ClientBase): Promise<Pick<Manifest, 'postgres_version' | 'migrations'>> {
  const { rows } = await client.query<{ version: string }>(
    `SELECT current_setting('server_version') AS version`,
  )
  const { rows: migrations } = await client.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name`,
  )
  return { postgres_version: rows[0]?.version ?? '', migrations }
}
