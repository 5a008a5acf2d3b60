/** A verification is done in steps, by whichever worker has the lease [audit#verification]. */
import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { GATEWAY } from '#domain/authority/caller.ts'
import { json } from '#server/ledger/event-fields.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { advanceVerification } from './advance-verification.ts'
import { seal } from './dsse.ts'
import { getVerification } from './get-verification.query.ts'
import { HEAD_TYPE, headKey } from './sign-head.ts'
import { signingKeyOf } from './signing-key.ts'
import { startVerification } from './start-verification.ts'
import { AuditKit, EVENTS } from './testing/audit-kit.ts'
import { verifyNow } from './testing/verify-now.ts'

let kit: AuditKit
let database: AuditKit['database']
let web: AuditKit['web']
let store: AuditKit['store']
let audit: AuditKit['audit']

beforeEach(async () => {
  kit = await AuditKit.open()
  ;({ database, web, store, audit } = kit)
})
afterEach(() => kit.close())

it('counts nothing of a worker that comes late with a step that was done meanwhile', async () => {
  await startVerification(web, GATEWAY)
  for (const _stage of ['chain', 'unsealed']) expect(await advanceVerification(audit, 'first')).toBe(true)
  const expire = () =>
    database.query(
      sql`UPDATE audit_verification SET lease_expires_at = clock_timestamp() - interval '1 minute'`,
    )
  await expire()
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const list = store.list.bind(store)
  vi.spyOn(store, 'list').mockImplementationOnce(async (...what) => {
    asked.resolve()
    await answer.promise
    return list(...what)
  })
  const late = advanceVerification(audit, 'first')
  await asked.promise
  // Another does that step, and then the late one has the lease again.
  for (const holder of ['second', 'first']) {
    await expire()
    expect(await advanceVerification(audit, holder)).toBe(true)
  }
  answer.resolve()
  expect(await late).toBe(false)
  expect((await getVerification(web)).newest).toMatchObject({ stage: 'objects', heads_checked: 2 })
})

it('goes on when each of two workers takes longer for a step than its lease', async () => {
  await startVerification(web, GATEWAY)
  for (const _stage of ['chain', 'unsealed']) await advanceVerification(audit, 'first')
  const list = store.list.bind(store)
  const begin = async (holder: string) => {
    await database.query(sql`UPDATE audit_verification SET lease_expires_at = NULL`)
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    vi.spyOn(store, 'list').mockImplementationOnce(async (...what) => {
      asked.resolve()
      await answer.promise
      return list(...what)
    })
    const done = advanceVerification(audit, holder)
    await asked.promise
    return { done, answer }
  }
  const [first, second] = [await begin('first'), await begin('second')]
  first.answer.resolve()
  expect(await first.done).toBe(true)
  second.answer.resolve()
  expect(await second.done).toBe(false)
  expect((await getVerification(web)).newest).toMatchObject({ stage: 'head_rows', heads_checked: 2 })
})

it('walks an audit to its end that is longer than a step of each stage', async () => {
  await addMany(300)
  await kit.project()
  await addMany(1_800)
  await signEach(EVENTS + 1, EVENTS + 210)
  const end = EVENTS + 2_100
  expect(await verifyNow(audit, web)).toMatchObject({
    ok: true,
    events_checked: end,
    objects_checked: EVENTS + 300,
    heads_checked: 212,
  })
  await kit.tamper(
    sql`UPDATE event_seal SET hash = sha256('x') WHERE seq = ${end - 5}`,
    sql`INSERT INTO event (id, name, actor, actor_role, resource_type, resource_id, body) OVERRIDING SYSTEM VALUE
      SELECT max(event) - 2000, 'x', 'x', 'x', 'x', 'x', '{}' FROM event_seal`,
  )
  await store.remove(headKey(EVENTS + 209))
  await kit.putInstead(await kit.keyOf(EVENTS + 290), Buffer.from('{}'))
  const { faults } = await verifyNow(audit, web)
  expect(faults.map(({ stage, problem, seq }) => [stage, problem, seq])).toEqual([
    ['chain', 'hash_mismatch', end - 5],
    ['unsealed', 'unsealed_event', null],
    ['heads', 'signed_head_missing', EVENTS + 210],
    ['head_rows', 'signed_head_missing', EVENTS + 209],
    ['objects', 'object_differs', EVENTS + 290],
  ])
})

/** In one statement; then the numbers go on far above, as after many transactions that were rolled back. */
async function addMany(count: number): Promise<void> {
  await kit.admin.query(sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id)
    SELECT 'config.changed', 'x', 'x', 'setting', n FROM generate_series(1, ${count}::int) n`)
  await kit.admin.query(
    sql`SELECT setval(pg_get_serial_sequence('event', 'id'), (SELECT max(id) + 25000 FROM event))`,
  )
  await kit.sealToMark()
}

/** Heads as they would have been signed one by one. */
async function signEach(from: number, to: number): Promise<void> {
  const key = signingKeyOf(audit.env)
  const { rows } = await database.query<{ seq: number; hash: Buffer; previous: string }>(
    sql`SELECT s.seq, s.hash, (SELECT sha256 FROM audit_head ORDER BY seq DESC LIMIT 1) AS previous
      FROM event_seal s WHERE s.seq BETWEEN ${from} AND ${to} ORDER BY s.seq`,
  )
  let previous = rows[0]?.previous ?? ''
  for (const { seq, hash } of rows) {
    const said = { seq, hash: hash.toString('hex'), previous, signed_at: '', key_id: key.keyId }
    const bytes = seal(HEAD_TYPE, said, key)
    await store.create(headKey(seq), bytes)
    previous = sha256Hex(bytes)
    await database.query(sql`INSERT INTO audit_head (seq, hash, key_id, sha256, signed_at)
      VALUES (${seq}, ${hash}, ${key.keyId}, ${previous}, clock_timestamp())`)
  }
}

it('ends with any number of losses, of which its event names the first and says how many', async () => {
  const losses = Array.from({ length: 150 }, (_, n) => ({
    ...{ from: 2 * n + 1, to: 2 * n + 1, event_id: `evt_${'0'.repeat(25)}${n % 10}` },
    declared_at: '2026-11-22T09:00:00.000Z',
  }))
  await startVerification(web, GATEWAY)
  await kit.tamper(sql`UPDATE audit_verification SET losses = ${json(losses)}`)
  while (await advanceVerification(audit, 'test'));
  expect((await getVerification(audit)).newest).toMatchObject({ ok: true, losses })
  const { rows } = await database.query(sql`SELECT details FROM event WHERE name = 'audit.verified'`)
  expect(rows).toMatchObject([{ details: { lost: 150, losses: losses.slice(0, 16) } }])
})
