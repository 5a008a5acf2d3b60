/**
 * Loads the tables of an archive into a database that was just migrated, in one transaction: all of them or nothing.
 *
 * Rows arrive as they were, so the triggers of the ledger, which guard changes, are set aside for the transaction and put back
 * exactly as they stood. Foreign keys are checked as always. It takes the owner of the tables and no more.
 */
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { type CopyStreamQuery, from } from 'pg-copy-streams'
import { quoted } from './copied-tables.ts'
import { BackupUnusable, type Manifest } from './manifest.ts'
import type { ArchiveEntry } from './read-archive.ts'

const ENTRY = /^database\/([a-z_][a-z0-9_]*)\/\d{6}\.copy$/
/** How each trigger stands is put back by these words. */
const TRIGGER_STATES: Record<string, string> = { O: 'ENABLE', A: 'ENABLE ALWAYS', R: 'ENABLE REPLICA' }

type Table = Manifest['tables'][number]
type Trigger = { relation: string; trigger: string; state: string }

export type TableLoader = {
  /** Whether this entry belongs to a table. */
  takes(name: string): boolean
  load(entry: ArchiveEntry): Promise<void>
  /** Ends the transaction with `last` in it; throws when a table has not got the rows that the manifest names. */
  finish(last: () => Promise<void>): Promise<void>
}

export async function openTableLoader(client: ClientBase, manifest: Manifest): Promise<TableLoader> {
  const tables = new Map(manifest.tables.map((table) => [table.name, table]))
  await client.query('BEGIN')
  const triggers = await triggersOf(client)
  for (const { relation, trigger } of triggers)
    await client.query(`ALTER TABLE ${quoted(relation)} DISABLE TRIGGER ${quoted(trigger)}`)
  // What the migrations put there is in the copy as well.
  for (const { name } of manifest.tables.toReversed()) await client.query(`DELETE FROM ${quoted(name)}`)
  const loaded = new Map<string, number>()
  return {
    takes: (name) => ENTRY.test(name),
    async load(entry) {
      const table = tables.get(ENTRY.exec(entry.name)?.[1] ?? '')
      if (!table) throw new BackupUnusable(`${entry.name} belongs to no table of its manifest`)
      loaded.set(table.name, (loaded.get(table.name) ?? 0) + (await copyIn(client, table, entry)))
    },
    async finish(last) {
      for (const { name, rows } of manifest.tables) {
        const there = loaded.get(name) ?? 0
        if (there !== rows) throw new BackupUnusable(`${name} has ${there} rows instead of ${rows}`)
      }
      await adjustRows(client, manifest)
      for (const { relation, trigger, state } of triggers)
        await client.query(
          `ALTER TABLE ${quoted(relation)} ${TRIGGER_STATES[state]} TRIGGER ${quoted(trigger)}`,
        )
      await last()
      await client.query('COMMIT')
    },
  }
}

/** Loads one part of a table: whole rows. */
async function copyIn(client: ClientBase, table: Table, entry: ArchiveEntry): Promise<number> {
  const columns = table.columns.map(quoted).join(', ')
  const sink: CopyStreamQuery = client.query(from(`COPY ${quoted(table.name)} (${columns}) FROM STDIN`))
  await pipeline(entry.chunks, sink)
  return sink.rowCount
}

async function triggersOf(client: ClientBase): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(
    `SELECT c.relname AS relation, t.tgname AS trigger, t.tgenabled AS state FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal AND t.tgenabled <> 'D'`,
  )
  return rows
}

/** What a copy must not take over as it was. */
async function adjustRows(client: ClientBase, manifest: Manifest): Promise<void> {
  await continueSequences(client)
  // Numbers of transactions mean nothing on another server; the sealer notes a new mark.
  await client.query(`UPDATE event_head SET mark_id = low, mark_xid = '0'`)
  // Objects were read before the rows: consumers repeat what may be missing, which has no second effect.
  await client.query('UPDATE consumer SET lease_holder = NULL, lease_expires_at = NULL')
  for (const [name, seq] of Object.entries(manifest.consumers))
    await client.query('UPDATE consumer SET seq = least(seq, $2) WHERE name = $1', [name, seq])
}

async function continueSequences(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ relation: string; attribute: string; sequence: string }>(
    `SELECT c.relname AS relation, a.attname AS attribute, pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
       AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL`,
  )
  for (const { relation, attribute, sequence } of rows) {
    await client.query(
      `SELECT setval($1::regclass, m.newest) FROM (SELECT max(${quoted(attribute)}) AS newest FROM ${quoted(relation)}) m WHERE m.newest IS NOT NULL`,
      [sequence],
    )
  }
}
