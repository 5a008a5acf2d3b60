/**
 * Brings the rights of a database to the table of `rights.mjs`: what a role lacks is granted, what it has beyond it is
 * revoked, and what everybody has by PostgreSQL's defaults is taken from everybody. Nothing is written where they agree.
 */
import { FUNCTION_RIGHTS, TABLE_RIGHTS, wantedRights } from './rights.mjs'

/** The rights of one grantee ($1: oid, 0 for everybody) on the product's objects, as they stand behind GRANT. */
const STANDING = `
  SELECT format('%s ON DATABASE %I', a.privilege_type, d.datname) AS "right"
    FROM pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
    WHERE d.datname = current_database() AND a.grantee = $1
  UNION ALL
  SELECT format('%s ON SCHEMA public', a.privilege_type)
    FROM pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
    WHERE n.nspname = 'public' AND a.grantee = $1
  UNION ALL
  SELECT format('%s ON TABLE %I', a.privilege_type, c.relname)
    FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($2) AND c.relkind IN ('r', 'p') AND a.grantee = $1
  UNION ALL
  SELECT format('%s (%I) ON TABLE %I', a.privilege_type, t.attname, c.relname)
    FROM pg_class c JOIN pg_attribute t ON t.attrelid = c.oid, aclexplode(t.attacl) a
    WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($2) AND a.grantee = $1
  UNION ALL
  SELECT format('%s ON FUNCTION %s', a.privilege_type, p.oid::regprocedure)
    FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    WHERE p.oid = ANY ($3::regprocedure[]) AND a.grantee = $1`

/** What everybody keeps: to connect, and to see that the schema is there. */
const LEFT_TO_ALL = /^(CONNECT ON DATABASE|USAGE ON SCHEMA) /

/**
 * The rights that stand in the database for a role (or for `PUBLIC`) on the product's objects.
 * @param {import('pg').Client} client
 * @param {string} role
 * @returns {Promise<string[]>}
 */
export async function standingRights(client, role) {
  const { rows: functions } = await client.query(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regprocedure(name) IS NOT NULL',
    [Object.keys(FUNCTION_RIGHTS)],
  )
  const grantee = role === 'PUBLIC' ? 0 : await oidOf(client, role)
  const { rows } = await client.query(STANDING, [
    grantee,
    Object.keys(TABLE_RIGHTS),
    functions.map(({ name }) => name),
  ])
  return rows.map((row) => row.right).sort()
}

/**
 * Makes the rights of these roles what the table says, in one transaction. Needs an account that may act as the schema's owner.
 * @param {import('pg').Client} client
 * @param {Partial<Record<import('./rights.mjs').ProcessRole, string>>} roles database roles by process
 */
export async function grantRights(client, roles) {
  const database = await databaseOf(client)
  await client.query('BEGIN')
  await revokeBeyond(client, 'PUBLIC', (right) => LEFT_TO_ALL.test(right))
  for (const [role, name] of Object.entries(roles)) {
    const wanted = wantedRights(/** @type {any} */ (role), database)
    await revokeBeyond(client, name, (right) => wanted.includes(right))
    await grantMissing(client, name, wanted)
  }
  await client.query('COMMIT')
}

/**
 * Grants what a role lacks; what it has besides stays.
 * @param {import('pg').Client} client
 * @param {string} name
 * @param {string[]} wanted
 */
export async function grantMissing(client, name, wanted) {
  const standing = await standingRights(client, name)
  const missing = wanted.filter((right) => !standing.includes(right))
  await runTogether(
    client,
    missing.map((right) => `GRANT ${right} TO ${client.escapeIdentifier(name)}`),
  )
}

/**
 * Takes what a role, or `PUBLIC`, has on the product's objects and may not keep.
 * @param {import('pg').Client} client
 * @param {string} name
 * @param {(right: string) => boolean} [keeps] nothing by default
 */
export async function revokeBeyond(client, name, keeps = () => false) {
  const grantee = name === 'PUBLIC' ? name : client.escapeIdentifier(name)
  const beyond = (await standingRights(client, name)).filter((right) => !keeps(right))
  await runTogether(
    client,
    beyond.map((right) => `REVOKE ${right} FROM ${grantee}`),
  )
}

/** The name of the connected database, quoted for SQL. */
export async function databaseOf(client) {
  const { rows } = await client.query('SELECT quote_ident(current_database()) AS name')
  return rows[0].name
}

/** One round trip. */
async function runTogether(client, statements) {
  if (statements.length > 0) await client.query(statements.join(';\n'))
}

async function oidOf(client, role) {
  const { rows } = await client.query('SELECT oid FROM pg_roles WHERE rolname = $1', [role])
  if (rows.length === 0) throw new Error(`the database has no role ${role}`)
  return rows[0].oid
}
