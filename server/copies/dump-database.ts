import type { ClientBase } from 'pg'
import { to } from 'pg-copy-streams'
import { type CopiedTable, copiedTables, quoted } from './copied-tables.ts'
import type { ArchiveWriter } from './write-archive.ts'

/** A part of a table, which is loaded by itself; so much of it is held in memory. */
const PART_BYTES = 4 * 1024 * 1024

/** Adds every table as the snapshot of the client's transaction shows it; the tables with their numbers of rows. */
export async function dumpTables(
  client: ClientBase,
  archive: ArchiveWriter,
): Promise<(CopiedTable & { rows: number })[]> {
  const tables: (CopiedTable & { rows: number })[] = []
  for (const table of await copiedTables(client)) {
    tables.push({ ...table, rows: await dumpTable(client, archive, table) })
  }
  return tables
}

async function dumpTable(client: ClientBase, archive: ArchiveWriter, table: CopiedTable): Promise<number> {
  const columns = table.columns.map(quoted).join(', ')
  const rows = client.query(to(`COPY ${quoted(table.name)} (${columns}) TO STDOUT`))
  let waiting: Buffer[] = []
  let size = 0
  let part = 0
  const flush = async (bytes: Buffer) => {
    part++
    await archive.add(`database/${table.name}/${String(part).padStart(6, '0')}.copy`, bytes)
  }
  for await (const chunk of rows as AsyncIterable<Buffer>) {
    waiting.push(chunk)
    size += chunk.length
    if (size < PART_BYTES) continue
    // A line is a row: line breaks inside values are escaped.
    const bytes = Buffer.concat(waiting)
    const end = bytes.lastIndexOf('\n') + 1
    if (end > 0) await flush(bytes.subarray(0, end))
    waiting = [bytes.subarray(end)]
    size = bytes.length - end
  }
  if (size > 0) await flush(Buffer.concat(waiting))
  return rows.rowCount
}
