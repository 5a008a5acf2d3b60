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
import { continueSequences, setTriggersAside } from './set-triggers-aside.ts'

const ENTRY = /^database\/([a-z_][a-z0-9_]*)\/\d{6}\.copy$/

type Table = Manifest['tables'][number]

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
  const putBack = await setTriggersAside(client)
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
      await putBack()
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
