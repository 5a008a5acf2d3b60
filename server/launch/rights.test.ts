import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FUNCTION_RIGHTS, PROCESS_ROLES, type ProcessRole, TABLE_RIGHTS, wantedRights } from './rights.mjs'
import { roleNames } from './roles.mjs'
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts'
import { TEMPLATE } from './testing/test-postgres.ts'

const ROLES = roleNames(TEMPLATE)
const PRIVILEGES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'] as const
let database: TestDatabase
let owner: pg.Client
const processes = new Map<ProcessRole, pg.Client>()

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

beforeAll(async () => {
  database = await createTestDatabase()
  owner = await connect(database.url)
  processes.set('web', await connect(database.webUrl))
  processes.set('worker', await connect(database.workerUrl))
  processes.set('control_plane', await connect(database.controlPlaneUrl))
  const guest = await connect(database.webUrl)
  await guest.query(`SET ROLE ${ROLES.guest}`)
  processes.set('guest', guest)
})
afterAll(async () => {
  await owner?.end()
  for (const client of processes.values()) await client.end()
  await database?.drop()
})

const clientOf = (role: ProcessRole) => processes.get(role) as pg.Client
const names = async (statement: string) =>
  (await owner.query<{ name: string }>(statement)).rows.map(({ name }) => name)

describe('the table of rights', () => {
  test('has every table and every function of the schema, and no other', async () => {
    const tables = await names(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1`,
    )
    expect(Object.keys(TABLE_RIGHTS).sort()).toEqual(tables)
    const functions = await names(`SELECT p.oid::regprocedure::text AS name FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND NOT EXISTS
        (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e') ORDER BY 1`)
    expect(Object.keys(FUNCTION_RIGHTS).sort()).toEqual([...functions].sort())
  })

  test.each(PROCESS_ROLES)('is what %s may do, on tables and in columns', async (role) => {
    const { rows } = await owner.query<{ tab: string; col: string; privilege: string; whole: boolean }>(
      `SELECT c.relname AS tab, a.attname AS col, p AS privilege, has_table_privilege($1, c.oid, p) AS whole
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         CROSS JOIN unnest($2::text[]) p
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
         AND CASE WHEN p IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') THEN has_column_privilege($1, c.oid, a.attnum, p)
           ELSE has_table_privilege($1, c.oid, p) END`,
      [ROLES[role], PRIVILEGES],
    )
    const standing = new Set(
      rows.map((r) => `${r.privilege}${r.whole ? '' : ` (${r.col})`} ON TABLE ${r.tab}`),
    )
    const wanted = wantedRights(role, 'x').filter((right) => right.includes(' ON TABLE '))
    expect([...standing].sort()).toEqual([...wanted].sort())
  })

  test.each(PROCESS_ROLES)('is what %s may call', async (role) => {
    const { rows } = await owner.query<{ name: string }>(
      `SELECT name FROM unnest($2::text[]) name WHERE has_function_privilege($1, name, 'EXECUTE') ORDER BY name`,
      [ROLES[role], Object.keys(FUNCTION_RIGHTS)],
    )
    const wanted = Object.keys(FUNCTION_RIGHTS).filter((name) => FUNCTION_RIGHTS[name]?.includes(role))
    expect(rows.map(({ name }) => name)).toEqual(wanted.sort())
  })

  test.each(PROCESS_ROLES)(
    'leaves %s no attribute, no DDL, no sequence and nothing that it owns',
    async (role) => {
      const { rows } = await owner.query(
        `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
         has_schema_privilege(oid, 'public', 'CREATE') AS schema_create,
         has_database_privilege(oid, current_database(), 'CREATE') AS database_create,
         has_database_privilege(oid, current_database(), 'TEMPORARY') AS database_temporary,
         (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owns,
         (SELECT count(*)::int FROM pg_class s
            WHERE CASE WHEN s.relkind = 'S' THEN has_sequence_privilege(r.oid, s.oid, 'USAGE, SELECT, UPDATE') END) AS sequences,
         ARRAY(SELECT m.roleid::regrole::text FROM pg_auth_members m WHERE m.member = r.oid) AS member_of
       FROM pg_roles r WHERE rolname = $1`,
        [ROLES[role]],
      )
      expect(rows).toEqual([
        {
          rolsuper: false,
          rolcreaterole: false,
          rolcreatedb: false,
          rolreplication: false,
          rolbypassrls: false,
          schema_create: false,
          database_create: false,
          database_temporary: false,
          owns: 0,
          sequences: 0,
          member_of: role === 'web' ? [ROLES.guest] : [],
        },
      ])
    },
  )

  test('gives the owner no attribute either', async () => {
    const { rows } = await owner.query(
      `SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS more FROM pg_roles WHERE rolname = current_user`,
    )
    expect(rows).toEqual([{ more: false }])
  })

  test('lets one function act for its owner, with a search path of its own', async () => {
    const { rows } =
      await owner.query(`SELECT p.oid::regprocedure::text AS name, p.proowner::regrole::text AS owner,
        (SELECT s FROM unnest(p.proconfig) s WHERE s LIKE 'search_path=%') AS path FROM pg_proc p WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace`)
    expect(rows).toEqual([
      { name: 'bloom_seal(integer)', owner: ROLES.owner, path: 'search_path=public, pg_temp' },
    ])
  })
})

/** SQLSTATE: insufficient privilege, or a function or a server that is not there. */
const REFUSED = ['42501', '42883']

const FORBIDDEN: readonly [string, string][] = [
  ['empties the seals', 'TRUNCATE event_seal'],
  ['sets the head back', 'UPDATE event_head SET seq = 0'],
  ['removes the head', 'DELETE FROM event_head'],
  ['writes a seal', `INSERT INTO event_seal (seq, event, prev_hash, hash) VALUES (1, 1, '', '')`],
  ['changes a seal', 'UPDATE event_seal SET event = 0'],
  ['removes a seal', 'DELETE FROM event_seal'],
  ['changes an event', `UPDATE event SET actor = 'nobody'`],
  ['removes an event', 'DELETE FROM event'],
  [
    'chooses the number of an event',
    `INSERT INTO event (id, name, actor, actor_role, resource_type, resource_id) OVERRIDING SYSTEM VALUE VALUES (1, 'x', 'x', 'x', 'x', 'x')`,
  ],
  [
    'dates an event',
    `INSERT INTO event (ts, name, actor, actor_role, resource_type, resource_id) VALUES ('2000-01-01', 'x', 'x', 'x', 'x', 'x')`,
  ],
  [
    'adds an edge',
    `INSERT INTO state_edge (machine, event, from_status, to_status) VALUES ('job', 'x', 'DEAD', 'COMPLETE')`,
  ],
  ['changes an edge', `UPDATE state_edge SET to_status = 'COMPLETE'`],
  ['removes an edge', 'DELETE FROM state_edge'],
  ['reads the book of migrations', 'SELECT * FROM _prisma_migrations'],
  ['takes a trigger off', 'DROP TRIGGER event_append_only ON event'],
  ['switches triggers off', 'ALTER TABLE event DISABLE TRIGGER ALL'],
  ['switches triggers off for its session', 'SET session_replication_role = replica'],
  [
    'replaces a trigger function',
    `CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
  ],
  ['alters a function', 'ALTER FUNCTION bloom_seal(integer) SECURITY INVOKER'],
  ['makes a function', `CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`],
  ['makes a table', 'CREATE TABLE mine (id int)'],
  ['makes a temporary table', 'CREATE TEMPORARY TABLE mine (id int)'],
  ['makes a schema', 'CREATE SCHEMA mine'],
  ['adds a column', 'ALTER TABLE event ADD COLUMN mine int'],
  ['drops a table', 'DROP TABLE event_seal'],
  ['drops an index', 'DROP INDEX event_name'],
  ['makes a rule', 'CREATE RULE mine AS ON INSERT TO event DO INSTEAD NOTHING'],
  ['makes a database', 'CREATE DATABASE mine'],
  ['makes a role', 'CREATE ROLE mine'],
  ['makes itself a superuser', 'ALTER ROLE CURRENT_USER SUPERUSER'],
  ['becomes the owner', `SET ROLE ${ROLES.owner}`],
  ['becomes the superuser', 'SET ROLE bloom'],
  ['becomes another session', `SET SESSION AUTHORIZATION ${ROLES.owner}`],
  ['grants itself', `GRANT ${ROLES.owner} TO CURRENT_USER`],
  ['alters the server', `ALTER SYSTEM SET log_statement = 'none'`],
  ['alters the database', `ALTER DATABASE CURRENT_DATABASE SET search_path = 'mine'`],
  ['runs a program', `COPY (SELECT 1) TO PROGRAM 'true'`],
  ['reads from a program', `COPY rate_slice FROM PROGRAM 'true'`],
  ['writes a file', `COPY (SELECT 1) TO '/tmp/mine'`],
  ['reads a file by COPY', `COPY rate_slice FROM '/etc/hostname'`],
  ['reads a file', `SELECT pg_read_file('/etc/hostname')`],
  ['reads a binary file', `SELECT pg_read_binary_file('/etc/hostname')`],
  ['lists a folder', `SELECT pg_ls_dir('/')`],
  ['imports a file', `SELECT lo_import('/etc/hostname')`],
  ['exports a file', `SELECT lo_export(1, '/tmp/mine')`],
  ['reads passwords', 'SELECT * FROM pg_authid'],
  ['loads a library', `LOAD '/tmp/mine.so'`],
  ['adds an extension', 'CREATE EXTENSION dblink'],
  ['adds another extension', 'CREATE EXTENSION file_fdw'],
  ['opens another database', `SELECT dblink('dbname=postgres', 'SELECT 1')`],
  ['makes a language', 'CREATE LANGUAGE plperlu'],
  [
    'subscribes',
    `CREATE SUBSCRIPTION mine CONNECTION 'dbname=postgres' PUBLICATION mine WITH (connect = false)`,
  ],
  ['publishes', 'CREATE PUBLICATION mine FOR ALL TABLES'],
  ['switches the log', 'SELECT pg_rotate_logfile()'],
  ['reloads the server', 'SELECT pg_reload_conf()'],
]

describe.each(PROCESS_ROLES)('%s', (role) => {
  test.each(FORBIDDEN)('never %s', async (_what, statement) => {
    const name = database.url.split('/').at(-1) as string
    const client = clientOf(role)
    const code = await client.query(statement.replace('CURRENT_DATABASE', name)).then(
      () => 'done',
      (error: pg.DatabaseError) => error.code,
    )
    expect(REFUSED).toContain(code)
  })

  test('never empties a table, takes one over, or makes triggers and references', async () => {
    const client = clientOf(role)
    for (const table of Object.keys(TABLE_RIGHTS)) {
      for (const statement of [
        `TRUNCATE ${table} CASCADE`,
        `ALTER TABLE ${table} OWNER TO CURRENT_USER`,
        `CREATE TRIGGER mine BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
      ])
        await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' })
    }
  })
})

test('a temporary table in front of the edges, had somebody one, would change nothing', async () => {
  await owner.query('BEGIN')
  await owner.query('CREATE TEMPORARY TABLE state_edge AS SELECT * FROM public.state_edge')
  await owner.query(`INSERT INTO state_edge VALUES ('agent', 'create', '', 'active')`)
  const made =
    owner.query(`INSERT INTO agent (slug, name, version, model, definition, revision, sha256, status)
    VALUES ('a', 'a', '1', 'extractive', '{}', 'r', 'x', 'active')`)
  await expect(made).rejects.toThrow('agent may not begin as active')
  await owner.query('ROLLBACK')
})

test('nor for a row that is there', async () => {
  await owner.query('BEGIN')
  await owner.query(`INSERT INTO agent (slug, name, version, model, definition, revision, sha256)
    VALUES ('a', 'a', '1', 'extractive', '{}', 'r', 'x')`)
  const { rows } = await owner.query<{ status: string }>(`SELECT status FROM agent WHERE slug = 'a'`)
  await owner.query('CREATE TEMPORARY TABLE state_edge AS SELECT * FROM public.state_edge')
  await owner.query(`INSERT INTO state_edge VALUES ('agent', 'skip', '${rows[0]?.status}', 'nowhere')`)
  await expect(owner.query(`UPDATE agent SET status = 'nowhere' WHERE slug = 'a'`)).rejects.toThrow(
    `agent may not go from ${rows[0]?.status} to nowhere`,
  )
  await owner.query('ROLLBACK')
})

test.each(PROCESS_ROLES)('%s changes or removes nothing of what was recorded', async (role) => {
  const changes = ['UPDATE event SET reason = reason', 'UPDATE event_seal SET hash = hash']
  for (const statement of ['DELETE FROM event', 'DELETE FROM event_seal', ...changes])
    await expect(clientOf(role).query(statement), statement).rejects.toMatchObject({ code: '42501' })
})

test('the web process seals nothing', async () => {
  await expect(clientOf('web').query('SELECT bloom_seal(1)')).rejects.toMatchObject({ code: '42501' })
})

test.each(['worker', 'control_plane'] as const)(
  '%s knows no account, no session of a person and no link',
  async (role) => {
    for (const statement of [
      'SELECT * FROM account',
      'SELECT sid FROM session',
      'SELECT * FROM sign_in_link',
    ])
      await expect(clientOf(role).query(statement)).rejects.toMatchObject({ code: '42501' })
  },
)

test.each(['account', 'session', 'zone', 'idempotency_key', 'inbox_entry', 'proposal', 'run', 'artifact'])(
  'the control plane does not even read %s',
  async (table) => {
    const reading = clientOf('control_plane').query(`SELECT * FROM ${table}`)
    await expect(reading).rejects.toMatchObject({ code: '42501' })
  },
)
