import type { ClientBase } from 'pg'

/** The columns that a copy holds, in the order of the table; what the database computes itself is left out. */
export type CopiedTable = { name: string; columns: string[] }

/** Made by the migrations or by the home itself, never copied. */
const NOT_COPIED = ['_prisma_migrations', 'installation']

/**
 * The tables of the ledger, each behind those that it refers to. Unlogged tables are left out: they begin anew after every
 * crash of the server, too.
 */
export async function copiedTables(client: ClientBase): Promise<CopiedTable[]> {
  const { rows: tables } = await client.query<CopiedTable>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p' AND c.relname <> ALL($1)
     GROUP BY c.relname ORDER BY c.relname`,
    [NOT_COPIED],
  )
  const { rows: references } = await client.query<{ name: string; other: string }>(
    `SELECT k.conrelid::regclass::text AS name, k.confrelid::regclass::text AS other FROM pg_constraint k
     WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace AND k.conrelid <> k.confrelid`,
  )
  return inOrder(tables, references)
}

/** Throws when tables refer to each other in a circle, which no order serves. */
export function inOrder(
  tables: readonly CopiedTable[],
  references: readonly { name: string; other: string }[],
): CopiedTable[] {
  const left = [...tables]
  const sorted: CopiedTable[] = []
  while (left.length > 0) {
    const waits = ({ name }: CopiedTable) =>
      references.some((r) => r.name === name && left.some((table) => table.name === r.other))
    const at = left.findIndex((table) => !waits(table))
    if (at < 0)
      throw new Error(`tables refer to each other in a circle: ${left.map((t) => t.name).join(', ')}`)
    sorted.push(...left.splice(at, 1))
  }
  return sorted
}

/** Settings under which the text of a value means the same on any server. */
export const TEXT_SETTINGS = `SET datestyle = 'ISO'; SET intervalstyle = 'iso_8601'; SET extra_float_digits = 3;
  SET client_encoding = 'UTF8'; SET bytea_output = 'hex'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0`

/** A name inside a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
