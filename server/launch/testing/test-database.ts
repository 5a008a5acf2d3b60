import crypto from 'node:crypto'
import pg from 'pg'
import { addressAs } from '../database.mjs'
import { roleNames } from '../roles.mjs'
import { SERVER_VARIABLE, TEMPLATE } from './test-postgres.ts'
import { waitUntil } from './wait-until.ts'

export type TestDatabase = {
  /** The owner's: for what no process may do. */
  url: string
  /** Where each process has the ledger, with its rights and no more. */
  webUrl: string
  workerUrl: string
  controlPlaneUrl: string
  /** The server's superuser: for what PostgreSQL itself forbids, such as a row that no trigger has seen. */
  adminUrl: string
  drop: () => Promise<void>
}

const ROLES = roleNames(TEMPLATE)

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
  const admin = new URL(adminUrl)
  admin.pathname = `/${name}`
  const urlOf = (role: string) => addressAs(admin.toString(), role, decodeURIComponent(admin.password))
  return {
    url: urlOf(ROLES.owner),
    webUrl: urlOf(ROLES.web),
    workerUrl: urlOf(ROLES.worker),
    controlPlaneUrl: urlOf(ROLES.control_plane),
    adminUrl: admin.toString(),
    drop: () => onServer(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

async function createCopy(adminUrl: string, name: string): Promise<boolean> {
  try {
    await onServer(
      adminUrl,
      `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE} OWNER ${ROLES.owner} STRATEGY FILE_COPY`,
      // A copy has the defaults of a new database, not the template's rights on the database itself.
      `REVOKE TEMPORARY ON DATABASE ${name} FROM PUBLIC`,
    )
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === IN_USE) return false
    throw error
  }
}

async function onServer(adminUrl: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  client.on('error', () => {}) // The failing query reports it.
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
