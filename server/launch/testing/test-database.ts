import crypto from 'node:crypto'
import pg from 'pg'
import { SERVER_VARIABLE, TEMPLATE } from './test-postgres.ts'
import { waitUntil } from './wait-until.ts'

export type TestDatabase = { url: string; drop: () => Promise<void> }

/** SQLSTATE of "somebody is connected to the template", which passes. */
const IN_USE = '55006'

/**
 * A migrated, empty database that belongs to the caller alone, on the run's server (see test-postgres.ts).
 * `drop` ends connections that are still open and may be called more than once.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = process.env[SERVER_VARIABLE]
  if (!adminUrl)
    throw new Error(`${SERVER_VARIABLE} is not set: run this through vitest, or call startTestPostgres()`)
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await waitUntil(() => createCopy(adminUrl, name), { what: 'a copy of the template database' })
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return {
    url: url.toString(),
    drop: () => onServer(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

async function createCopy(adminUrl: string, name: string): Promise<boolean> {
  try {
    await onServer(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === IN_USE) return false
    throw error
  }
}

async function onServer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  client.on('error', () => {}) // The failing query reports it.
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
