import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ROOT } from './checkout.mjs'
import { addressAs, prepareDatabase } from './database.mjs'
import { grantRights } from './grant-rights.mjs'
import { migrate } from './migrate.mjs'
import { roleNames } from './roles.mjs'
import { SERVER_VARIABLE } from './testing/test-postgres.ts'

const PASSWORDS = { owner: 'the owner', web: "web's own", worker: 'worker/@:', control_plane: 'plane' }
const passwords = () => PASSWORDS
const LATEST = '20261122140000_least_rights'

let admin: pg.Client
let name: string
/** The address of the database for the server's superuser. */
let superuser: string
const accounts: string[] = []

beforeAll(async () => {
  admin = new pg.Client({ connectionString: process.env[SERVER_VARIABLE] })
  await admin.connect()
})
afterAll(() => admin.end())

beforeEach(() => {
  name = `roles_${crypto.randomUUID().slice(0, 8)}`
  const url = new URL(process.env[SERVER_VARIABLE] as string)
  url.pathname = `/${name}`
  superuser = url.toString()
})
afterEach(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await forget([...Object.values(roleNames(name)), ...accounts.splice(0)])
})

async function forget(roles: string[]): Promise<void> {
  for (const role of roles) await admin.query(`DROP ROLE IF EXISTS ${role}`)
}

/** An account of the server with these attributes, whose own the database is. */
async function account(attributes: string): Promise<string> {
  const login = `${name}_login`
  await admin.query(`CREATE ROLE ${login} LOGIN ${attributes} PASSWORD 'login'`)
  await admin.query(`CREATE DATABASE ${name} OWNER ${login}`)
  accounts.push(login)
  return addressAs(superuser, login, 'login')
}

async function query<R extends object = Record<string, unknown>>(
  url: string,
  statement: string,
): Promise<R[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<R>(statement)).rows
  } finally {
    await client.end()
  }
}

const user = async (url: string) =>
  (await query<{ name: string }>(url, 'SELECT current_user AS name'))[0]?.name
const owners = (url: string) =>
  query(
    url,
    `SELECT DISTINCT relowner::regrole::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  )
const acl = (url: string) =>
  query(
    url,
    `SELECT relname AS name, relacl::text AS acl, '' AS version FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
     UNION ALL SELECT proname, proacl::text, xmin::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
  )

describe('an account that may create roles', () => {
  test.each(['CREATEROLE', 'SUPERUSER'])('makes them, once and again (%s)', async (attributes) => {
    const url = await account(attributes)
    const names = roleNames(name)
    const first = await prepareDatabase(url, { passwords })
    expect(first.applied).toContain(LATEST)
    const { owner, web, worker, control_plane } = first.urls
    expect(await Promise.all([owner, web, worker, control_plane].map(user))).toEqual([
      names.owner,
      names.web,
      names.worker,
      names.control_plane,
    ])
    expect(await owners(url)).toEqual([{ name: names.owner }])
    await expect(query(first.urls.web, 'TRUNCATE event_seal')).rejects.toMatchObject({ code: '42501' })
    await expect(query(first.urls.worker, 'CREATE TEMPORARY TABLE x (y int)')).rejects.toMatchObject({
      code: '42501',
    })
    const before = await acl(url)
    const second = await prepareDatabase(url, { passwords })
    expect(second).toEqual({ ...first, applied: [] })
    expect(await acl(url)).toEqual(before)
  })

  test('changes a password when it is another one', async () => {
    const url = await account('CREATEROLE')
    const before = await prepareDatabase(url, { passwords })
    const after = await prepareDatabase(url, { passwords: () => ({ ...PASSWORDS, web: 'new' }) })
    await expect(user(before.urls.web)).rejects.toThrow('password authentication failed')
    expect(await user(after.urls.web)).toBe(roleNames(name).web)
  })

  test('keeps no password in clear, not even in the log of statements', async () => {
    const { urls } = await prepareDatabase(await account('CREATEROLE'), { passwords })
    const { rows } = await admin.query('SELECT rolpassword FROM pg_authid WHERE rolname = $1', [
      roleNames(name).web,
    ])
    expect(rows[0].rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/)
    expect(await user(urls.web)).toBe(roleNames(name).web)
  })

  test('shares nothing with another database of the server', async () => {
    const one = await prepareDatabase(superuser, { passwords })
    const other = `${name}_b`
    onTestFinished(async () => {
      await admin.query(`DROP DATABASE IF EXISTS ${other} WITH (FORCE)`)
      await forget(Object.values(roleNames(other)))
    })
    const two = await prepareDatabase(superuser.replace(`/${name}`, `/${other}`), {
      passwords: () => ({ owner: 'o', web: 'w', worker: 'x', control_plane: 'c' }),
    })
    expect(await user(one.urls.web)).not.toBe(await user(two.urls.web))
    const stranger = new URL(one.urls.web)
    stranger.pathname = `/${other}`
    await expect(query(stranger.toString(), 'SELECT * FROM event')).rejects.toMatchObject({ code: '42501' })
  })

  test('takes over a ledger that was made under one account, older migrations included', async () => {
    await admin.query(`CREATE DATABASE ${name}`)
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-older-'))
    onTestFinished(() => fs.rmSync(directory, { recursive: true }))
    for (const folder of fs.readdirSync(path.join(ROOT, 'prisma/migrations')))
      if (folder < '20261122')
        fs.cpSync(path.join(ROOT, 'prisma/migrations', folder), path.join(directory, folder), {
          recursive: true,
        })
    await migrate(superuser, directory)
    await query(
      superuser,
      `INSERT INTO event (name, actor, actor_role, resource_type, resource_id) VALUES ('x', 'x', 'x', 'x', 'x')`,
    )
    const { applied, urls } = await prepareDatabase(superuser, { passwords })
    expect(applied).toContain(LATEST)
    expect(await owners(superuser)).toEqual([{ name: roleNames(name).owner }])
    expect(await query(urls.worker, 'SELECT bloom_seal(10) AS sealed')).toEqual([{ sealed: 1 }])
    // The guests' role of that time belongs to the whole server: it reads nothing here any more.
    const former = await query(
      superuser,
      `SELECT has_table_privilege(oid, 'zone', 'SELECT') AS may FROM pg_roles WHERE rolname = 'bloom_guest'`,
    )
    expect(former.filter(({ may }) => may)).toEqual([])
  })

  test('takes back what a role was given besides', async () => {
    const { urls } = await prepareDatabase(superuser, { passwords })
    const { web, worker } = roleNames(name)
    await query(
      urls.owner,
      `GRANT TRUNCATE, INSERT, UPDATE (actor) ON event TO ${web}; GRANT EXECUTE ON FUNCTION bloom_seal(integer) TO PUBLIC`,
    )
    await query(urls.owner, `REVOKE SELECT ON job FROM ${worker}`)
    const before = await acl(superuser)
    await prepareDatabase(superuser, { passwords })
    expect(await acl(superuser)).not.toEqual(before)
    for (const statement of [
      'TRUNCATE event',
      `UPDATE event SET actor = 'x'`,
      `INSERT INTO event (ts) VALUES (now())`,
      'SELECT bloom_seal(1)',
    ])
      await expect(query(urls.web, statement), statement).rejects.toMatchObject({ code: '42501' })
    await query(
      urls.web,
      `INSERT INTO event (name, actor, actor_role, resource_type, resource_id) VALUES ('x', 'x', 'x', 'x', 'x')`,
    )
    expect(await query(urls.worker, 'SELECT * FROM job')).toEqual([])
  })

  test.each([
    ['web', 'LOGIN', null],
    ['web', 'LOGIN', 'Garden Bloom Console, database other'],
    ['worker', 'NOLOGIN', null],
    ['guest', 'LOGIN', null],
    ['guest', 'NOLOGIN CREATEDB', null],
  ] as const)('leaves the role %s (%s, %s) alone that somebody else made', async (role, attributes, mark) => {
    const theirs = roleNames(name)[role]
    await admin.query(`CREATE ROLE ${theirs} ${attributes} PASSWORD 'theirs'`)
    if (mark) await admin.query(`COMMENT ON ROLE ${theirs} IS '${mark}'`)
    const standing = () =>
      admin.query('SELECT a.*, shobj_description(oid, $2) FROM pg_authid a WHERE rolname = $1', [
        theirs,
        'pg_authid',
      ])
    const { rows: before } = await standing()
    await expect(prepareDatabase(superuser, { passwords })).rejects.toThrow(
      `has a role ${theirs} that is not this product's`,
    )
    expect((await standing()).rows).toEqual(before)
  })

  test('takes back what a process has set for its sessions to come', async () => {
    const { urls } = await prepareDatabase(superuser, { passwords })
    await query(urls.web, `ALTER ROLE CURRENT_USER SET search_path = 'pg_temp'`)
    await query(urls.web, `ALTER ROLE CURRENT_USER IN DATABASE ${name} SET statement_timeout = 1`)
    await prepareDatabase(superuser, { passwords })
    expect(
      await query(
        urls.web,
        `SELECT current_setting('search_path') AS path, current_setting('statement_timeout') AS ms`,
      ),
    ).toEqual([{ path: '"$user", public', ms: '0' }])
  })

  test('changes all rights or none', async () => {
    const { urls } = await prepareDatabase(superuser, { passwords })
    const { web } = roleNames(name)
    await query(urls.owner, `REVOKE SELECT ON job FROM ${web}`)
    const before = await acl(superuser)
    const client = new pg.Client({ connectionString: superuser })
    await client.connect()
    await expect(grantRights(client, { web, worker: 'nobody_at_all' })).rejects.toThrow(
      'no role nobody_at_all',
    )
    await client.end()
    expect(await acl(superuser)).toEqual(before)
  })
})

describe('an ordinary account', () => {
  test('keeps the ledger by itself', async () => {
    const url = await account('')
    const { applied, urls } = await prepareDatabase(url, { passwords })
    expect(applied).toContain(LATEST)
    expect(urls).toEqual({ owner: url, web: url, worker: url, control_plane: url })
    expect(await query(url, 'SELECT bloom_seal(1) AS sealed')).toEqual([{ sealed: 0 }])
    expect((await prepareDatabase(url, { passwords })).applied).toEqual([])
  })

  test('may create roles, but not for a database of somebody else: makes none', async () => {
    await account('')
    const other = `${name}_other`
    accounts.push(other)
    await admin.query(`CREATE ROLE ${other} LOGIN CREATEROLE PASSWORD 'other'`)
    await admin.query(`GRANT CREATE ON DATABASE ${name} TO ${other}`)
    await query(superuser, `GRANT CREATE ON SCHEMA public TO ${other}`)
    const url = addressAs(superuser, other, 'other')
    const { urls } = await prepareDatabase(url, { passwords })
    expect(urls).toEqual({ owner: url, web: url, worker: url, control_plane: url })
  })

  test('gives roles that were made by hand their rights', async () => {
    const url = await account('')
    const { web, worker, control_plane, guest } = roleNames(name)
    for (const role of [web, worker, control_plane])
      await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'w'`)
    await admin.query(`CREATE ROLE ${guest}; GRANT ${guest} TO ${web}`)
    const given = {
      web: addressAs(url, web, 'w'),
      worker: addressAs(url, worker, 'w'),
      control_plane: addressAs(url, control_plane, 'w'),
    }
    const { urls } = await prepareDatabase(url, { passwords, given })
    expect(urls).toEqual({ owner: url, ...given })
    await query(urls.web, 'SELECT * FROM account')
    await query(urls.web, `SET ROLE ${guest}; SELECT * FROM zone`)
    await query(urls.worker, 'SELECT bloom_seal(1)')
    await expect(query(urls.worker, 'SELECT * FROM account')).rejects.toMatchObject({ code: '42501' })
    await expect(query(urls.web, 'SELECT bloom_seal(1)')).rejects.toMatchObject({ code: '42501' })
    await expect(query(urls.control_plane, 'SELECT * FROM session')).rejects.toMatchObject({ code: '42501' })
    await expect(query(urls.web, 'CREATE TEMPORARY TABLE x (y int)')).rejects.toMatchObject({ code: '42501' })
  })

  test.each(['web', 'worker'] as const)(
    'beside a role for the %s want one for the control plane',
    async (process) => {
      const url = await account('')
      const role = roleNames(name)[process]
      await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'w'`)
      const given = { [process]: addressAs(url, role, 'w') }
      await expect(prepareDatabase(url, { passwords, given })).rejects.toThrow(
        /DATABASE_URL_CONTROL_PLANE is missing/,
      )
      expect(await owners(url)).toEqual([])
    },
  )

  test('says which address does not answer, and applies nothing', async () => {
    const url = await account('')
    const given = { worker: addressAs(url, 'nobody', 'x') }
    await expect(prepareDatabase(url, { passwords, given })).rejects.toThrow(
      /worker process cannot sign in.*nobody.*DATABASE_URL_WORKER/s,
    )
    expect(await owners(url)).toEqual([])
  })

  test.each([
    ['web', 'worker'],
    ['worker', 'control_plane'],
  ])('refuses one role for %s and %s', async (first, second) => {
    const url = await account('')
    const { web } = roleNames(name)
    await admin.query(`CREATE ROLE ${web} LOGIN PASSWORD 'w'`)
    const one = addressAs(url, web, 'w')
    const given = { [first]: one, [second]: one }
    await expect(prepareDatabase(url, { passwords, given })).rejects.toThrow('name the same role')
  })
})

describe('names', () => {
  test('begin with the database, however long it is', () => {
    expect(roleNames('bloom')).toEqual({
      owner: 'bloom_owner',
      web: 'bloom_web',
      worker: 'bloom_worker',
      control_plane: 'bloom_control',
      guest: 'bloom_guest',
    })
    const long = Object.values(roleNames('ї'.repeat(31)))
    expect(Math.max(...long.map((role) => Buffer.byteLength(role)))).toBeLessThanOrEqual(63)
    expect(roleNames(`${'x'.repeat(60)}a`).web).not.toBe(roleNames(`${'x'.repeat(60)}b`).web)
  })

  test.each([
    [
      'postgresql://a:b@db.example:5433/bloom?sslmode=require',
      'postgresql://bloom_web:p%2F@db.example:5433/bloom?sslmode=require',
    ],
    [
      'postgresql:///bloom?host=/run/postgresql',
      'postgresql:///bloom?host=%2Frun%2Fpostgresql&user=bloom_web&password=p%2F',
    ],
  ])('stand in the address %s', (url, expected) => {
    expect(addressAs(url, 'bloom_web', 'p/')).toBe(expected)
  })
})
