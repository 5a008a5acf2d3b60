import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

/** A digest of the rows of every table, read through SQLite (with what lies in the WAL), whatever order and pages they are in. */
export function tableDigests(file: string): Record<string, string> {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
    return Object.fromEntries(
      tables.map(({ name }) => {
        const rows = database.prepare(`SELECT * FROM "${name}"`).all()
        const texts = rows.map((row) => JSON.stringify(row)).sort()
        return [String(name), createHash('sha256').update(texts.join('\n')).digest('hex')]
      }),
    )
  } finally {
    database.close()
  }
}
