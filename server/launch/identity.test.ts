import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { becomeHome, bindIdentity, bindRebuilt, identityToRebuild, readIdentity } from './identity.mjs'
import { ensureSecrets, SIGNING_NAMES } from './secrets.mjs'
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts'

let base: string
let home: string
let copy: string
let database: TestDatabase

beforeEach(async () => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-identity-'))
  home = path.join(base, 'home')
  copy = path.join(base, 'copy')
  fs.mkdirSync(home)
  database = await createTestDatabase()
})
afterEach(async () => {
  await database.drop()
  fs.rmSync(base, { recursive: true, force: true })
})

const bind = (at = home, { url = database.url, embedded = true } = {}) =>
  bindIdentity({ home: at, url, embedded })

async function query(statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

const boundTo = async () => (await query('SELECT home_id FROM installation'))[0]?.home_id
const copyHome = () => fs.cpSync(home, copy, { recursive: true })

describe('a home and its database', () => {
  test('get one id at the first start and keep it', async () => {
    await bind()
    const first = readIdentity(home)
    expect(first).toMatchObject({ bound: true, place: fs.realpathSync(home) })
    expect(await boundTo()).toBe(first?.home_id)
    await bind()
    expect(readIdentity(home)).toEqual(first)
  })

  test('are refused when they do not belong together, with what can be done', async () => {
    await bind()
    const other = path.join(base, 'other')
    fs.mkdirSync(other)
    await expect(bind(other, { embedded: false })).rejects.toThrow(
      /does not belong to .*other: it is that of home/,
    )
    const elsewhere = await createTestDatabase()
    await expect(bind(home, { url: elsewhere.url })).rejects.toThrow(/its ledger is missing/)
    await elsewhere.drop()
    await bind()
  })

  test('are known again when the home was moved, and when its file was lost beside the database inside it', async () => {
    await bind()
    const before = readIdentity(home)
    fs.renameSync(home, copy)
    await bind(copy)
    expect(readIdentity(copy)).toEqual({ ...before, place: fs.realpathSync(copy) })
    fs.rmSync(path.join(copy, 'identity.json'))
    await bind(copy)
    expect(readIdentity(copy)).toEqual({ ...before, place: fs.realpathSync(copy) })
  })

  test('stop the start when the file is no identity', async () => {
    for (const text of ['', '{', '{"home_id":"x","place":"/","bound":true}', '[]', 'null']) {
      fs.writeFileSync(path.join(home, 'identity.json'), text)
      await expect(bind(), text).rejects.toThrow(/does not hold the identity of a home/)
    }
  })
})

describe('a home that lost its database', () => {
  const rebindIn = async (url: string) => {
    const { home_id } = identityToRebuild(home)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await bindRebuilt(client, home, home_id).finally(() => client.end())
  }

  test('gets another one by a rebuild alone, and stays the same home', async () => {
    await bind()
    const before = readIdentity(home)
    const empty = await createTestDatabase()
    await expect(bind(home, { url: empty.url })).rejects.toThrow(/npm run rebuild/)
    await rebindIn(empty.url)
    await bind(home, { url: empty.url })
    expect(readIdentity(home)).toEqual(before)
    await empty.drop()
  })

  test('does not get that of another home', async () => {
    await bind()
    const other = await createTestDatabase()
    fs.mkdirSync(copy)
    await bind(copy, { url: other.url })
    await expect(rebindIn(other.url)).rejects.toThrow(/does not belong to .*home/)
    await other.drop()
  })

  test('is a home, and no copy beside its original', async () => {
    expect(() => identityToRebuild(home)).toThrow(/There is no Garden Bloom/)
    await bind()
    expect(identityToRebuild(home).home_id).toBe(readIdentity(home)?.home_id)
    copyHome()
    expect(() => identityToRebuild(copy)).toThrow(/is a copy of/)
  })
})

describe('a copy beside its original', () => {
  test('becomes another: new id, new signing keys, no sessions', async () => {
    const before = ensureSecrets(home)
    await bind()
    const original = readIdentity(home)?.home_id
    await query(`INSERT INTO account (account_id, role, name, created_by) VALUES ('owner', 'owner', 'owner', 'x');
      INSERT INTO session (sid, role, identity, account_id, expires_at) VALUES ('s', 'owner', 'owner', 'owner', now() + interval '1 day');
      INSERT INTO sign_in_link (token_hash, account_id, expires_at) VALUES ('t', 'owner', now() + interval '1 day')`)
    copyHome()
    await bind(copy)
    const id = readIdentity(copy)?.home_id
    expect(id).not.toBe(original)
    expect(await boundTo()).toBe(id)
    expect(readIdentity(home)?.home_id).toBe(original)
    expect(await query('SELECT ended_at IS NULL AS open FROM session')).toEqual([{ open: false }])
    expect(await query('SELECT used_at IS NULL AS open FROM sign_in_link')).toEqual([{ open: false }])
    const after = ensureSecrets(copy)
    for (const name of SIGNING_NAMES) expect(after[name], name).not.toBe(before[name])
    expect(after.BLOOM_ZONE_KEY).toBe(before.BLOOM_ZONE_KEY)
    expect(after.BLOOM_POSTGRES_PASSWORD).toBe(before.BLOOM_POSTGRES_PASSWORD)
    expect(ensureSecrets(home)).toEqual(before)
  })

  describe('has the machine keys of its original', () => {
    const HOME_ID = '00000000-0000-4000-8000-000000000002'
    const become = async (options = {}) => {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      await becomeHome(client, HOME_ID, options).finally(() => client.end())
    }
    const keys = () => query('SELECT status, revoked_at IS NULL AS open FROM machine_key ORDER BY key_id')
    beforeEach(async () => {
      await query(`INSERT INTO machine_key (key_id, status, kind, node_id, name, scopes, hash, slot, created_by, expires_at)
        SELECT repeat(n::text, 16), 'active', 'node', 'attic', 'x', '{}', repeat('0', 64), n, 'owner', now() FROM generate_series(1, 2) n;
        UPDATE machine_key SET status = 'expired' WHERE slot = 2`)
    })

    test('revoked, with their events', async () => {
      await become()
      expect(await keys()).toEqual([
        { status: 'revoked', open: false },
        { status: 'expired', open: true },
      ])
      const events = await query('SELECT name, actor, resource_id AS id FROM event')
      expect(events).toEqual([{ name: 'key.revoked', actor: 'launcher', id: '1'.repeat(16) }])
    })

    test('as they were where it goes on with its sessions', async () => {
      const before = await keys()
      await become({ keepSessions: true })
      expect(await keys()).toEqual(before)
    })

    test('none where the backup is older than keys', async () => {
      await query('DROP TABLE machine_key')
      await become()
      expect(await boundTo()).toBe(HOME_ID)
    })
  })

  test('is refused with the outside database of its original', async () => {
    await bind(home, { embedded: false })
    copyHome()
    await expect(bind(copy, { embedded: false })).rejects.toThrow(/is a copy of .*home, and DATABASE_URL/)
  })

  test('completes a change of identity that was interrupted, before and after the database had it', async () => {
    await bind()
    copyHome()
    const next = '00000000-0000-4000-8000-000000000001'
    const known = readIdentity(copy)
    for (const reached of [known?.home_id, next]) {
      fs.writeFileSync(path.join(copy, 'identity.json'), JSON.stringify({ ...known, next_id: next }))
      await query(`UPDATE installation SET home_id = '${reached}'`)
      await bind(copy)
      expect(readIdentity(copy)).toEqual({ home_id: next, place: fs.realpathSync(copy), bound: true })
      expect(await boundTo()).toBe(next)
    }
  })
})
