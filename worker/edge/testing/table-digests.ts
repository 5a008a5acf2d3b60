import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

/** A digest of the rows of every table, those of full-text indexes included, as SQLite shows them. */
export function tableDigests(path: string): Record<string, string> {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
    return Object.fromEntries(tables.map(({ name }) => [String(name), digestOf(database, String(name))]))
  } finally {
    database.close()
  }
}

function digestOf(database: DatabaseSync, table: string): string {
  const hash = createHash('sha256')
  for (const row of database.prepare(`SELECT * FROM "${table}"`).iterate()) {
    for (const [column, value] of Object.entries(row)) {
      hash.update(`${column}:${typeof value}:`)
      hash.update(value instanceof Uint8Array ? value : String(value))
    }
  }
  return hash.digest('hex')
}
