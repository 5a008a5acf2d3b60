import type { ClientBase, DatabaseError } from 'pg'
import { quoted } from '#server/copies/copied-tables.ts'
import type { Column, Table } from '#server/ledger/rows.ts'

/** A row from JSON: times as ISO 8601, bytes as `\x…`. A column that it does not name gets the table's own default. */
export type JsonRow<T extends Table> = { [C in Column<T>]?: unknown }
/** A row, and the object it was made of, which is named when the ledger refuses it. */
export type Made<T extends Table> = { key: string; row: JsonRow<T> }
export type Inserter<T extends Table> = { add(made: Made<T>): Promise<void>; end(): Promise<number> }

const BATCH = 500
const BATCH_CHARACTERS = 8_000_000

/** SQLSTATE of a row that refers to what is not there, and of a key twice: their details name the key and nothing of the content. */
const BY_KEY = ['23503', '23505']
const whyRefused = ({ code, detail, message }: DatabaseError): string =>
  (BY_KEY.includes(code ?? '') && detail) || message

/**
 * Inserts rows in batches inside the caller's transaction. What a row names beside the columns of the table is left out: an object may say
 * more than its row. A row that the ledger refuses (a key twice, a constraint) is a fault of its object, and the others of its batch are
 * inserted all the same. `end` inserts the rest and returns how many rows there are.
 */
export function inserter<T extends Table>(
  { client, fault }: { client: ClientBase; fault(key: string, why: string): void },
  table: T,
): Inserter<T> {
  let waiting: Waiting[] = []
  let characters = 0
  let inserted = 0
  let columns: ReadonlySet<string> | null = null
  const attempt = async (rows: readonly Waiting[]) => {
    columns ??= await columnsOf(client, table)
    await client.query('SAVEPOINT rows')
    try {
      await insert(client, table, { rows, columns })
      inserted += rows.length
      await client.query('RELEASE SAVEPOINT rows')
      return null
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT rows')
      return error as DatabaseError
    }
  }
  const flush = async () => {
    const rows = waiting
    waiting = []
    characters = 0
    if (rows.length === 0 || (await attempt(rows)) === null) return
    for (const row of rows) {
      const refused = await attempt([row])
      if (refused) fault(row.key, whyRefused(refused))
    }
  }
  return {
    async add({ key, row }) {
      const text = JSON.stringify(row)
      // What is undefined is not in the text, and is not named.
      const named = Object.entries(row).flatMap(([name, value]) => (value === undefined ? [] : [name]))
      waiting.push({ key, text, named: named.sort() })
      characters += text.length
      if (waiting.length >= BATCH || characters >= BATCH_CHARACTERS) await flush()
    },
    async end() {
      await flush()
      return inserted
    },
  }
}

type Waiting = { key: string; text: string; named: readonly string[] }

/** One statement for all rows that name the same columns. */
async function insert(
  client: ClientBase,
  table: Table,
  { rows, columns }: { rows: readonly Waiting[]; columns: ReadonlySet<string> },
): Promise<void> {
  for (const alike of Object.values(Object.groupBy(rows, ({ named }) => named.join()))) {
    const names = alike?.[0]?.named
      .filter((name) => columns.has(name))
      .map(quoted)
      .join(', ')
    await client.query(
      `INSERT INTO ${quoted(table)} (${names}) OVERRIDING SYSTEM VALUE
        SELECT ${names} FROM jsonb_populate_recordset(NULL::${quoted(table)}, $1::jsonb)`,
      [`[${alike?.map(({ text }) => text).join(',')}]`],
    )
  }
}

/** The columns of a table that can be given; others the ledger computes. */
async function columnsOf(client: ClientBase, table: Table): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [quoted(table)],
  )
  return new Set(rows.map(({ name }) => name))
}
