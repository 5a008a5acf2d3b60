/** Loading rows as they were into tables that guard their changes: part of the caller's transaction, and of the owner of the tables. */
import type { ClientBase } from 'pg'
import { quoted } from './copied-tables.ts'

/** How each trigger stands is put back by these words. */
const TRIGGER_STATES: Record<string, string> = { O: 'ENABLE', A: 'ENABLE ALWAYS', R: 'ENABLE REPLICA' }

type Trigger = { relation: string; trigger: string; state: string }

/** Sets the ledger's own triggers aside; what it returns puts them back exactly as they stood. Foreign keys are checked as always. */
export async function setTriggersAside(client: ClientBase): Promise<() => Promise<void>> {
  const triggers = await triggersOf(client)
  for (const { relation, trigger } of triggers)
    await client.query(`ALTER TABLE ${quoted(relation)} DISABLE TRIGGER ${quoted(trigger)}`)
  return async () => {
    for (const { relation, trigger, state } of triggers)
      await client.query(
        `ALTER TABLE ${quoted(relation)} ${TRIGGER_STATES[state]} TRIGGER ${quoted(trigger)}`,
      )
  }
}

async function triggersOf(client: ClientBase): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(
    `SELECT c.relname AS relation, t.tgname AS trigger, t.tgenabled AS state FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal AND t.tgenabled <> 'D'`,
  )
  return rows
}

/** Lets every sequence go on behind the newest row of its table. */
export async function continueSequences(client: ClientBase): Promise<void> {
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
