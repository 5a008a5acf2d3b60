import { createHash } from 'node:crypto'
import type { Sql } from 'sql-template-tag'

const names = new Map<string, string>()

/** The same statement under a name made from its text: PostgreSQL parses and plans it once for each connection. */
export function prepared(statement: Sql): Sql {
  const { text } = statement
  let name = names.get(text)
  if (!name) {
    name = `s_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
  }
  return Object.assign(statement, { name })
}
