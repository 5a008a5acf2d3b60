/**
 * `prisma/schema` and `prisma/migrations` say the same of tables and columns: a check of `npm run check`.
 *
 * The migrations are applied to a new database by the product's own runner, and Prisma's engine tells by which statements
 * that database would become the schema. The schema says less than the migrations on purpose: indexes, foreign keys,
 * checks, functions and triggers live in the migrations alone, and so do defaults by the database's clock. Statements
 * that would take those away are expected; any other one is a difference of tables or columns, and fails.
 */
import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { prepareDatabase } from './database.mjs'
import { startPostgres } from './postgres.mjs'
import { print } from './progress.mjs'

/** What the schema may leave to the migrations. */
const EXPECTED = [
  /^DROP INDEX "\w+"$/,
  /^ALTER TABLE "\w+" DROP CONSTRAINT "\w+_fkey"$/,
  /^ALTER TABLE "\w+" ALTER COLUMN "\w+" DROP DEFAULT$/,
  // clock_timestamp() in the migrations: the engine knows the beginning of the transaction only.
  /^ALTER TABLE "\w+" ALTER COLUMN "\w+" SET DEFAULT CURRENT_TIMESTAMP$/,
]

/**
 * The differences of tables and columns between a migrated database and a schema.
 * @param {string} url
 * @param {string} [schema] the folder of the schema
 * @returns {string[]} statements that would turn the one into the other
 */
export function schemaDifferences(url, schema = path.join(ROOT, 'prisma/schema')) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      'prisma/engine/prisma.mjs',
      ...['migrate', 'diff', '--from-config-datasource', '--to-schema', schema, '--script', '--exit-code'],
    ],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, DATABASE_URL: url } },
  )
  // 0: no difference, 2: differences.
  if (status !== 0 && status !== 2) throw new Error(`prisma migrate diff failed:\n${stdout}${stderr}`)
  return statementsOf(stdout).filter((statement) => !EXPECTED.some((expected) => expected.test(statement)))
}

/** The script's statements; those with several changes of one table are taken apart. */
function statementsOf(script) {
  const plain = script.replace(/^--.*$/gm, '').replace(/\s+/g, ' ')
  const statements = plain.split(';').map((statement) => statement.trim())
  return statements.filter(Boolean).flatMap((statement) => {
    const [, table, changes] = /^(ALTER TABLE "\w+") (.*)$/.exec(statement) ?? []
    if (!table) return [statement]
    return changes.split(/, (?=(?:ADD|ALTER|DROP) )/).map((change) => `${table} ${change}`)
  })
}

/** A server of its own for the check, thrown away with its data. */
async function checkMigrations() {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-schema-'))
  fs.chmodSync(home, 0o711)
  const settings = { fsync: 'off', log_min_messages: 'fatal' }
  const directory = path.join(home, 'data')
  const server = await startPostgres({ directory, password: crypto.randomUUID(), settings })
  try {
    const url = server.urlOf('bloom')
    const { applied } = await prepareDatabase(url)
    return { applied, differences: schemaDifferences(url) }
  } finally {
    await server.stop()
    fs.rmSync(home, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const { applied, differences } = await checkMigrations()
  for (const statement of differences) console.error(`The schema wants what no migration does: ${statement}`)
  print(`${applied.length} migration(s), ${differences.length} difference(s) to the schema\n`)
  process.exit(differences.length === 0 && applied.length > 0 ? 0 : 1)
}
