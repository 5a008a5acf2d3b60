/**
 * The database roles of one database: the schema's owner, web, worker, control plane and the guests' role.
 *
 * Roles belong to the whole server, so their names begin with the database's: two databases of one server share no role and
 * no password. A role of such a name that this product did not make is never touched; a comment on the role tells. Passwords
 * reach the server as SCRAM verifiers and so never its log. Making roles twice changes nothing but the verifiers.
 */
import crypto from 'node:crypto'
import { databaseOf, grantMissing, revokeBeyond } from './grant-rights.mjs'
import { LaunchFault } from './progress.mjs'
import { ownerRights } from './rights.mjs'

/** The longest name that PostgreSQL keeps whole is 63 bytes. */
const LONGEST_BASE = 50
/** The guests' role of databases that were made before roles were named after them. */
const FORMER_GUEST = 'bloom_guest'
const DUPLICATE = ['42710', '23505']
const SCRAM_ITERATIONS = 4096

/** Those that sign in. @typedef {{ owner: string, web: string, worker: string, control_plane: string }} RolePasswords */
/** @typedef {RolePasswords & { guest: string }} RoleNames */

/** The processes that have a database role of their own. */
export const SIGNED_IN = /** @type {const} */ (['web', 'worker', 'control_plane'])

/**
 * What the roles of a database are called.
 * @param {string} database
 * @returns {RoleNames}
 */
export function roleNames(database) {
  const fits = Buffer.byteLength(database) <= LONGEST_BASE
  const base = fits
    ? database
    : `bloom_${crypto.createHash('sha256').update(database).digest('hex').slice(0, 16)}`
  return {
    owner: `${base}_owner`,
    web: `${base}_web`,
    worker: `${base}_worker`,
    // Short, so that the longest base keeps its whole name.
    control_plane: `${base}_control`,
    guest: `${base}_guest`,
  }
}

/**
 * Whether the connected account may make the roles and hand the schema over: it may create roles and acts for the owner of the
 * database.
 * @param {import('pg').Client} client
 * @returns {Promise<boolean>}
 */
export async function mayMakeRoles(client) {
  const { rows } =
    await client.query(`SELECT r.rolsuper OR (r.rolcreaterole AND pg_has_role(d.datdba, 'USAGE')) AS may
    FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`)
  return rows[0]?.may === true
}

/**
 * Makes the roles where they are missing, and the schema and all that is in it the owner's.
 * @param {import('pg').Client} client an account for which `mayMakeRoles` holds
 * @param {RoleNames} names
 * @param {RolePasswords} passwords
 */
export async function makeRoles(client, names, passwords) {
  await ensureRole(client, names.guest, undefined)
  for (const role of /** @type {const} */ (['owner', ...SIGNED_IN]))
    await ensureRole(client, names[role], passwords[role])
  const quoted = (/** @type {string} */ name) => client.escapeIdentifier(name)
  const database = await databaseOf(client)
  for (const role of SIGNED_IN) await grantMissing(client, names[role], [`CONNECT ON DATABASE ${database}`])
  await client.query(`GRANT ${quoted(names.guest)} TO ${quoted(names.web)}`)
  await client.query(`GRANT ${quoted(names.owner)} TO CURRENT_USER`)
  await grantMissing(client, names.owner, ownerRights(database))
  await handOver(client, names.owner)
  if (names.guest !== FORMER_GUEST && (await roleOf(client, FORMER_GUEST)))
    await revokeBeyond(client, FORMER_GUEST)
}

const markOf = (/** @type {string} */ database) => `Garden Bloom Console, database ${database}`

async function ensureRole(client, name, password) {
  const quoted = client.escapeIdentifier(name)
  const mark = markOf(await databaseOf(client))
  const known = await roleOf(client, name)
  if (!known) {
    await client.query(`CREATE ROLE ${quoted}`).catch((/** @type {any} */ error) => {
      if (!DUPLICATE.includes(error.code)) throw error
    })
    await client.query(`COMMENT ON ROLE ${quoted} IS ${client.escapeLiteral(mark)}`)
  } else if (known.mark !== mark && !(password === undefined && known.isHarmless)) {
    throw new LaunchFault(
      `The database server has a role ${name} that is not this product's.\nName the database differently, or give DATABASE_URL_WEB, DATABASE_URL_WORKER and DATABASE_URL_CONTROL_PLANE (README, Operations).\n`,
    )
  }
  if (password === undefined) return
  // A role may give its own sessions settings, for every database and for this one: they count no more.
  await client.query(`ALTER ROLE ${quoted} RESET ALL`)
  await client.query(`ALTER ROLE ${quoted} IN DATABASE ${await databaseOf(client)} RESET ALL`)
  await client.query(`ALTER ROLE ${quoted} LOGIN PASSWORD ${client.escapeLiteral(verifierOf(password))}`)
}

/** A role that cannot sign in and has no attribute is as good as one that was just made. */
async function roleOf(client, name) {
  const { rows } = await client.query(
    `SELECT shobj_description(oid, 'pg_authid') AS mark,
       NOT (rolcanlogin OR rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls) AS "isHarmless"
     FROM pg_roles WHERE rolname = $1`,
    [name],
  )
  return rows[0]
}

/** What the connected account owns in the schema, extensions aside; sequences of columns follow their table. */
const OWNED = `
  SELECT format('%s %s', CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
      c.oid::regclass) AS thing
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND c.relowner = current_user::regrole
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
        AND (d.deptype = 'e' OR (c.relkind = 'S' AND d.deptype IN ('a', 'i'))))
  UNION ALL
  SELECT format('ROUTINE %s', p.oid::regprocedure) FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = current_user::regrole
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')`

/** A schema that the account made while it was alone becomes the owner's, so that the owner can migrate it. */
async function handOver(client, owner) {
  const { rows } = await client.query(OWNED)
  if (rows.length === 0) return
  const to = client.escapeIdentifier(owner)
  await client.query(rows.map(({ thing }) => `ALTER ${thing} OWNER TO ${to}`).join(';\n'))
}

/**
 * What PostgreSQL keeps of a password (RFC 5803).
 * @param {string} password
 */
export function verifierOf(password) {
  const salt = crypto.randomBytes(16)
  const salted = crypto.pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256')
  const hmacOf = (/** @type {string} */ text) => crypto.createHmac('sha256', salted).update(text).digest()
  const stored = crypto.createHash('sha256').update(hmacOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${stored}:${hmacOf('Server Key').toString('base64')}`
}
