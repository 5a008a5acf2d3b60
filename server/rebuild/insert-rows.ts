import type { ClientBase, DatabaseError } from 'pg'
import { quoted } from '#server/copies/copied-tables.ts'
import type { Column, Row, Table } from '#server/ledger/rows.ts'

/** A row from JSON: times as ISO 8601, bytes as `\x…`. Columns that it does not name become NULL. */
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
 * Inserts rows in batches inside the caller's transaction. A row that the ledger refuses (a key twice, a constraint) is a fault of its
 * object, and the others of its batch are inserted all the same. `end` inserts the rest and returns how many rows there are.
 */
export function inserter<T extends Table>(
  { client, fault }: { client: ClientBase; fault(key: string, why: string): void },
  table: T,
  columns: readonly (Column<T> & keyof Row<T>)[],
): Inserter<T> {
  const names = columns.map(quoted).join(', ')
  const statement = `INSERT INTO ${quoted(table)} (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${names} FROM jsonb_populate_recordset(NULL::${quoted(table)}, $1::jsonb)`
  let waiting: { key: string; text: string }[] = []
  let characters = 0
  let inserted = 0
  const attempt = async (rows: readonly { text: string }[]) => {
    await client.query('SAVEPOINT rows')
    try {
      await client.query(statement, [`[${rows.map((row) => row.text).join(',')}]`])
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
      waiting.push({ key, text })
      characters += text.length
      if (waiting.length >= BATCH || characters >= BATCH_CHARACTERS) await flush()
    },
    async end() {
      await flush()
      return inserted
    },
  }
}
