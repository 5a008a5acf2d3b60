import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Caller } from '#domain/authority/caller.ts'
import { refuse } from '#domain/kernel/result.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import type { Db } from '#server/ledger/database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import type { OperationContext } from '#server/operations/operation.ts'
import type { Services } from '#server/services.ts'
import { type Gated, pass } from './gate.ts'
import { NOBODY, visitOf } from './visit.ts'

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }

let gateway: TestGateway
let headers: Record<string, string>
beforeAll(async () => {
  gateway = await testGateway()
  headers = await gateway.bearer(await gateway.open({}))
  await onLedger(gateway.ledger.url, async (db) => {
    await db.query(sql`CREATE TABLE effect (name text PRIMARY KEY)`)
    await db.query(sql`GRANT SELECT, INSERT ON effect TO PUBLIC`)
  })
})
afterAll(() => gateway.close())

const effects = async (name: string) =>
  (await gateway.services.db.query(sql`SELECT 1 FROM effect WHERE name = ${name}`)).rows.length
const record = (db: Db, name: string) => db.query(sql`INSERT INTO effect VALUES (${name})`)

/** A write that records `name` and then does what the test says. */
const writing = (
  name: string,
  then: (ctx: OperationContext) => unknown = () => ({ done: true }),
  more: Partial<Gated> = {},
): Gated => ({
  kind: 'write',
  policy: { action: 'zone.manage' },
  input: null,
  status: 200,
  output: z.object({ done: z.boolean() }),
  run: async (ctx) => {
    await record(ctx.services.db, name)
    return then(ctx)
  },
  ...more,
})
const call = (gated: Gated, key?: string, services: Services = gateway.services) =>
  pass(gated, visitOf(services, { ...NOBODY, caller: OWNER }, null), {
    endpoint: 'test',
    idempotencyKey: key,
    read: async () => ({ ok: true, value: { value: undefined, fingerprint: () => '' } }),
  })

describe('the transaction of a write', () => {
  test('commits what it returns, a refusal with what it recorded too', async () => {
    expect(await call(writing('done'))).toMatchObject({ ok: true })
    const refused = () => refuse({ code: 'INVALID_TRANSITION', message: 'no' })
    expect(await call(writing('refused', refused), 'r')).toMatchObject({ ok: false })
    expect([await effects('done'), await effects('refused')]).toEqual([1, 1])
    expect(await call(writing('after a refusal'), 'r')).toMatchObject({ value: { replayed: false } })
  })

  test('rolls back what it throws, and an answer that does not fit', async () => {
    const thrown = () => {
      throw new Error('no')
    }
    for (const [name, then] of [
      ['thrown', thrown],
      ['mismatch', () => ({ done: 'yes' })],
    ] as const) {
      expect(await call(writing(name, then), name)).toMatchObject({ refusal: { code: 'INTERNAL_ERROR' } })
      expect(await effects(name)).toBe(0)
      expect(await call(writing(name), name)).toMatchObject({ value: { replayed: false } })
    }
  })

  test('is there without a key, and not for an operation that has its own', async () => {
    const inside = async ({ services: { db } }: OperationContext) => {
      await db.query(sql`SET LOCAL application_name = 'in a transaction'`)
      const { rows } = await db.query(sql`SELECT current_setting('application_name') AS name`)
      return { done: rows[0]?.name === 'in a transaction' }
    }
    expect(await call(writing('joined', inside))).toMatchObject({ value: { value: { done: true } } })
    const own = writing('own', inside, { transaction: 'own' })
    expect(await call(own)).toMatchObject({ value: { value: { done: false } } })
    const failing = writing('own and thrown', () => Promise.reject(new Error('no')), { transaction: 'own' })
    await call(failing, 'own')
    expect(await effects('own and thrown')).toBe(1)
  })
})

describe('a key that is in use', () => {
  test('is refused at once, not waited for', async () => {
    const begun = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<{ done: true }>()
    const waits = () => {
      begun.resolve()
      return finish.promise
    }
    const first = call(writing('slow', waits), 'slow')
    await begun.promise
    const twin = await call(writing('slow'), 'slow')
    expect(twin).toMatchObject({ refusal: { code: 'CONCURRENT_MODIFICATION', retryAfter: 1 } })
    finish.resolve({ done: true })
    expect(await first).toMatchObject({ value: { replayed: false } })
    expect(await call(writing('slow'), 'slow')).toMatchObject({ value: { replayed: true } })
  })
})

describe('zones.create under a key', () => {
  const create = async (name: string, app = gateway.app) => {
    const init = { method: 'POST', headers: { ...headers, 'idempotency-key': name } }
    const body = JSON.stringify({ name, folders: ['a'] })
    const answer = await app.request('/api/v1/zones', { ...init, body })
    return {
      status: answer.status,
      replayed: answer.headers.get('idempotent-replay'),
      json: await answer.json(),
    }
  }
  const left = async (name: string) => {
    const { rows } = await gateway.services.db.query(sql`
      SELECT (SELECT count(*) FROM zone WHERE name = ${name})::int AS zones,
        (SELECT count(*) FROM event e JOIN zone z ON z.zone_id = e.resource_id WHERE z.name = ${name})::int AS events,
        (SELECT count(*) FROM idempotency_key WHERE key = encode(sha256(convert_to(${name}, 'UTF8')), 'hex'))::int AS keys`)
    return rows[0]
  }
  const pool = () => gateway.services.database.pool
  afterEach(() =>
    onLedger(gateway.ledger.url, (db) => db.query(sql`DROP TRIGGER IF EXISTS die ON idempotency_key`)),
  )

  test('leaves nothing when the connection dies before the commit, and a repeat has one effect', async () => {
    // The last thing before the COMMIT is done: the server ends the connection.
    const owner = gateway.ledger.url
    await onLedger(owner, async (db) => {
      await db.query(sql`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`)
      await db.query(sql`CREATE CONSTRAINT TRIGGER die AFTER UPDATE ON idempotency_key
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()`)
    })
    expect((await create('dies-before')).status).toBe(503)
    expect(await left('dies-before')).toEqual({ zones: 0, events: 0, keys: 0 })
    await onLedger(owner, (db) => db.query(sql`DROP TRIGGER die ON idempotency_key`))
    expect(await create('dies-before')).toMatchObject({ status: 201, replayed: null })
    expect(await create('dies-before')).toMatchObject({ status: 201, replayed: 'true' })
    expect(await left('dies-before')).toEqual({ zones: 1, events: 1, keys: 1 })
  })

  test('gives the answer again when the connection dies after the commit', async () => {
    const { db } = gateway.services
    const transaction: Db['transaction'] = async (work) => {
      await db.transaction(work)
      throw Object.assign(new Error('connection lost'), { code: '08006' })
    }
    const services = { ...gateway.services, db: { ...db, transaction } }
    const losing = await testGateway({ over: { services, ledger: gateway.ledger } })
    expect((await create('dies-after', losing.app)).status).toBe(503)
    expect(await left('dies-after')).toEqual({ zones: 1, events: 1, keys: 1 })
    expect(await create('dies-after')).toMatchObject({ status: 201, replayed: 'true' })
    expect(await left('dies-after')).toEqual({ zones: 1, events: 1, keys: 1 })
  })

  test('has one effect for twenty at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('twenty')))
    expect(await left('twenty')).toEqual({ zones: 1, events: 1, keys: 1 })
    const made = answers.filter(({ status }) => status === 201)
    expect(made.filter(({ replayed }) => replayed === null)).toHaveLength(1)
    for (const { status, json } of answers) {
      if (status === 201) expect(json).toEqual(made[0]?.json)
      else expect([status, json.error.code]).toEqual([409, 'CONCURRENT_MODIFICATION'])
    }
  })

  test('keeps neither the code nor the key in clear, and gives the code again', async () => {
    const first = await create('secret-of-a-zone')
    expect((await create('secret-of-a-zone')).json.code).toBe(first.json.code)
    const { rows } = await pool().query<{ row: string; answer: Buffer }>(
      'SELECT k::text AS row, answer FROM idempotency_key k',
    )
    const stored = rows.map(({ row, answer }) => row + answer.toString('latin1')).join('\n')
    const { code, link } = first.json
    for (const secret of [code, link.split('#t=')[1], 'secret-of-a-zone', 'folders']) {
      expect(stored).not.toContain(secret)
    }
  })

  test('does nothing again when the kept answer can no longer be read', async () => {
    await create('unreadable')
    await pool().query(`UPDATE idempotency_key SET answer = NULL`)
    expect(await create('unreadable')).toMatchObject({
      status: 409,
      json: { error: { code: 'IDEMPOTENCY_MISMATCH' } },
    })
    expect(await left('unreadable')).toEqual({ zones: 1, events: 1, keys: 1 })
  })
})
