/**
 * Applies `prisma/migrations/<name>/migration.sql` in order of name, each in one transaction, each once.
 *
 * Book is kept in Prisma's own `_prisma_migrations` table under Prisma Migrate's advisory lock, so that its command
 * line and this runner agree, and so that processes which start together do not apply a migration twice.
 *
 * How it fails: a migration that was edited after it was applied, one that failed half-way under another tool, and a
 * database that knows migrations this checkout does not have are refused with a message; nothing is applied then.
 * A migration whose SQL fails is rolled back as a whole and tried again at the next start.
 */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { ROOT } from './checkout.mjs'

/** The key of Prisma Migrate's advisory lock. */
const LOCK = 72707369

const BOOK = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`

/**
 * Brings the database of `url` up to the migrations of `directory`.
 * @param {string} url
 * @param {string} [directory]
 * @returns {Promise<string[]>} the names of the migrations applied now
 */
export async function migrate(url, directory = path.join(ROOT, 'prisma/migrations')) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // A lost connection also rejects the query in flight, which reports it.
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    await client.query(BOOK)
    const migrations = readMigrations(directory)
    const known = await readBook(client)
    refuseForeign(migrations, known)
    const waiting = migrations.filter((migration) => !isApplied(migration, known.get(migration.name)))
    for (const migration of waiting) await apply(client, migration)
    return waiting.map((migration) => migration.name)
  } finally {
    await client.end() // Ends the session and with it the lock.
  }
}

function readMigrations(directory) {
  if (!fs.existsSync(directory)) return []
  return fs
    .readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(directory, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: crypto.createHash('sha256').update(sql).digest('hex') }
    })
}

async function readBook(client) {
  const { rows } = await client.query(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  )
  return new Map(rows.map((row) => [row.migration_name, row]))
}

function refuseForeign(migrations, known) {
  const names = new Set(migrations.map((migration) => migration.name))
  const foreign = [...known.keys()].filter((name) => !names.has(name))
  if (foreign.length === 0) return
  throw new Error(
    `the database has migrations that this checkout does not know (${foreign.join(', ')}): it was used by a newer version`,
  )
}

function isApplied(migration, row) {
  if (!row) return false
  if (!row.finished_at)
    throw new Error(
      `migration ${migration.name} failed earlier under another tool (P3009): look at what it left, then say npm run prisma -- migrate resolve --rolled-back ${migration.name}`,
    )
  if (row.checksum !== migration.checksum) {
    throw new Error(
      `migration ${migration.name} was edited after it was applied: add a new migration instead`,
    )
  }
  return true
}

/** The migration and its line in the book commit together: a start that is killed meanwhile leaves neither. */
async function apply(client, migration) {
  const { name, sql, checksum } = migration
  try {
    await client.query('BEGIN')
    await client.query(sql)
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
      VALUES ($1, $2, $3, now(), 1)`,
      [crypto.randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    const logs = String(error.message)
    // Without a connection there is no book to write to: the server rolls back by itself.
    await noteFailure(client, migration, logs).catch(() => {})
    throw new Error(`migration ${name} failed: ${logs}`, { cause: error })
  }
}

async function noteFailure(client, { name, checksum }, logs) {
  await client.query('ROLLBACK')
  await client.query(
    'INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, rolled_back_at) VALUES ($1, $2, $3, $4, now())',
    [crypto.randomUUID(), checksum, name, logs],
  )
}
