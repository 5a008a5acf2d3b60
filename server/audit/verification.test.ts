import sql, { type Sql } from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditFault } from '#contracts/audit.contract.ts'
import { GATEWAY } from '#domain/authority/caller.ts'
import { type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { advanceVerification } from './advance-verification.ts'
import { auditProblem } from './audit-state.query.ts'
import { seal } from './dsse.ts'
import { getVerification } from './get-verification.query.ts'
import { HEAD_TYPE, headKey, signHead, signHeadWhenDue } from './sign-head.ts'
import { pemOf, signingKeyOf } from './signing-key.ts'
import { startVerification } from './start-verification.ts'
import { type Audit, AuditKit, EVENTS, idOf, MIDDLE } from './testing/audit-kit.ts'
import { verifyNow } from './testing/verify-now.ts'
import { listKeys, publishKey } from './trusted-keys.ts'

let kit: AuditKit
let database: AuditKit['database']
let web: AuditKit['web']
let store: AuditKit['store']
let audit: Audit

beforeEach(async () => {
  kit = await AuditKit.open()
  ;({ database, web, store, audit } = kit)
})
afterEach(() => kit.close())

const addEvents = (count: number) => kit.addEvents(count)
const sealToMark = () => kit.sealToMark()
const tamper = (...statements: Sql[]) => kit.tamper(...statements)
const keyOf = (seq: number) => kit.keyOf(seq)
const putInstead = (key: string, bytes: Uint8Array) => kit.putInstead(key, bytes)

/** Computes every hash anew, as a forger who knows how would. */
const HASHES_ANEW = sql`DO $$ DECLARE last bytea := decode(repeat('00', 32), 'hex'); n bigint := 0; r record; BEGIN
  FOR r IN SELECT s.seq, e.body FROM event_seal s JOIN event e ON e.id = s.event ORDER BY s.seq LOOP
    UPDATE event_seal SET prev_hash = last, hash = sha256(last || convert_to(r.body, 'UTF8')) WHERE seq = r.seq RETURNING hash INTO last;
    n := r.seq;
  END LOOP;
  UPDATE event_head SET hash = last, seq = n; END $$`
const cutTo = (seq: number) => [
  sql`DELETE FROM event WHERE id > ${idOf(seq)}`,
  sql`DELETE FROM event_seal WHERE seq > ${seq}`,
  sql`UPDATE event_head SET (seq, hash) = (SELECT seq, hash FROM event_seal WHERE seq = ${seq})`,
]

async function headBy(env: Services['env'], change: object = {}): Promise<Uint8Array> {
  const stored = await store.get(headKey(EVENTS))
  const { payload } = JSON.parse(Buffer.from(stored?.bytes ?? []).toString())
  const said = JSON.parse(Buffer.from(payload, 'base64').toString())
  return seal(HEAD_TYPE, { ...said, ...change }, signingKeyOf(env))
}

type Row = [what: string, change: () => Promise<unknown>, first: Partial<AuditFault>]

const MANIPULATIONS: Row[] = [
  [
    'the whole audit is emptied',
    () =>
      tamper(
        sql`DELETE FROM event`,
        sql`DELETE FROM event_seal`,
        sql`DELETE FROM audit_head`,
        sql`UPDATE event_head SET seq = 0, hash = decode(repeat('00', 32), 'hex'), low = 0, mark_id = 0`,
        sql`UPDATE consumer SET seq = 0`,
      ),
    { problem: 'signed_beyond_end', seq: MIDDLE },
  ],
  [
    'the newest ten are removed and the head set back',
    () => tamper(...cutTo(EVENTS - 10)),
    { problem: 'signed_beyond_end', seq: EVENTS },
  ],
  [
    'the head alone is set back',
    () => tamper(...cutTo(EVENTS - 10).slice(-1)),
    { problem: 'head_mismatch', seq: EVENTS },
  ],
  [
    'the newest ten are removed while it is under way',
    async () => {
      await startVerification(web, GATEWAY)
      await tamper(...cutTo(EVENTS - 10))
    },
    { problem: 'end_missing', seq: EVENTS - 9 },
  ],
  [
    'a row in the middle is removed',
    () => tamper(sql`DELETE FROM event WHERE id = ${idOf(9)}`),
    { problem: 'event_missing', seq: 9 },
  ],
  [
    'a row is inserted between, and sealed as if it had always been there',
    () =>
      tamper(
        sql`UPDATE event_seal SET seq = -seq - 1 WHERE seq >= 8`,
        sql`UPDATE event_seal SET seq = -seq WHERE seq < 0`,
        sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, body) VALUES ('x', 'x', 'x', 'x', 'x', '{}')`,
        sql`UPDATE event SET body = event_bytes(event) WHERE name = 'x'`,
        sql`INSERT INTO event_seal (seq, event, prev_hash, hash) SELECT 8, max(id), '', '' FROM event`,
        HASHES_ANEW,
      ),
    { problem: 'signed_head_contradicts', seq: MIDDLE },
  ],
  [
    'a body is altered',
    () => tamper(sql`UPDATE event SET body = replace(body, 'gateway', 'nobody') WHERE id = ${idOf(12)}`),
    { problem: 'hash_mismatch', seq: 12 },
  ],
  [
    'a body and its row are altered and all hashes computed anew',
    () =>
      tamper(
        sql`UPDATE event SET body = replace(body, 'gateway', 'nobody'), actor = 'nobody' WHERE id = ${idOf(5)}`,
        HASHES_ANEW,
      ),
    { problem: 'signed_head_contradicts', seq: MIDDLE },
  ],
  [
    'a hash is altered',
    () => tamper(sql`UPDATE event_seal SET hash = sha256('x') WHERE seq = 7`),
    { problem: 'hash_mismatch', seq: 7 },
  ],
  [
    'a link is altered',
    () => tamper(sql`UPDATE event_seal SET prev_hash = sha256('x') WHERE seq = 7`),
    { problem: 'link_broken', seq: 7 },
  ],
  [
    'a number is left out',
    () => tamper(sql`UPDATE event_seal SET seq = 1000 WHERE seq = 15`),
    { problem: 'sequence_gap', seq: 15 },
  ],
  [
    'two rows change places',
    () =>
      tamper(
        sql`UPDATE event_seal SET event = -event WHERE seq IN (4, 5)`,
        sql`UPDATE event_seal s SET event = -o.event FROM (SELECT seq, event FROM event_seal WHERE seq IN (4, 5)) o
          WHERE s.seq IN (4, 5) AND s.seq <> o.seq`,
      ),
    { problem: 'hash_mismatch', seq: 4 },
  ],
  [
    'the time of a row is altered',
    () => tamper(sql`UPDATE event SET ts = ts - interval '1 day' WHERE id = ${idOf(6)}`),
    { problem: 'row_differs', seq: 6 },
  ],
  [
    'the actor of a row is altered',
    () => tamper(sql`UPDATE event SET actor = 'nobody' WHERE id = ${idOf(6)}`),
    { problem: 'row_differs', seq: 6 },
  ],
  [
    'an object is altered',
    async () => putInstead(await keyOf(3), Buffer.from('{}')),
    { problem: 'object_differs', seq: 3 },
  ],
  ['an object is deleted', async () => store.remove(await keyOf(20)), { problem: 'object_missing', seq: 20 }],
  [
    'an object of an unknown event is added',
    () => store.create('audit/20260101/evt_00000000000000000000000000.json', Buffer.from('{}')),
    { problem: 'object_unknown', key: 'audit/20260101/evt_00000000000000000000000000.json' },
  ],
  [
    'a row without a seal is added where all are sealed',
    () =>
      tamper(sql`INSERT INTO event (id, name, actor, actor_role, resource_type, resource_id, body) OVERRIDING SYSTEM VALUE
        VALUES (0, 'x', 'x', 'x', 'x', 'x', '{}')`),
    { problem: 'unsealed_event' },
  ],
  [
    'a signed head is altered, and its row with it',
    async () => {
      const stored = await store.get(headKey(EVENTS))
      const envelope = JSON.parse(Buffer.from(stored?.bytes ?? []).toString())
      const said = JSON.parse(Buffer.from(envelope.payload, 'base64').toString())
      const payload = Buffer.from(JSON.stringify({ ...said, signed_at: '2026-01-01T00:00:00.000Z' }))
      const forged = Buffer.from(JSON.stringify({ ...envelope, payload: payload.toString('base64') }))
      await putInstead(headKey(EVENTS), forged)
      await tamper(sql`UPDATE audit_head SET sha256 = ${sha256Hex(forged)} WHERE seq = ${EVENTS}`)
    },
    { problem: 'signed_head_altered', key: headKey(EVENTS) },
  ],
  [
    'a signed head is replaced by another of the same key',
    async () =>
      putInstead(headKey(EVENTS), await headBy(audit.env, { signed_at: '2026-01-01T00:00:00.000Z' })),
    { problem: 'signed_head_altered', seq: EVENTS },
  ],
  [
    'the newest signed head is removed',
    () => store.remove(headKey(EVENTS)),
    { problem: 'signed_head_missing', seq: EVENTS },
  ],
  [
    'a signed head is removed with its row',
    async () => {
      await store.remove(headKey(MIDDLE))
      await tamper(sql`DELETE FROM audit_head WHERE seq = ${MIDDLE}`)
    },
    { problem: 'signed_head_missing', seq: EVENTS },
  ],
  [
    'a head is signed by another key',
    async () => {
      const other = { ...audit.env, AUDIT_SIGNING_KEY: 'another'.repeat(5) }
      await putInstead(headKey(EVENTS), await headBy(other))
    },
    { problem: 'signed_head_unknown_key', key: headKey(EVENTS) },
  ],
]

describe('verification of the audit', () => {
  it('finds nothing in an untouched audit, and is recorded', async () => {
    const found = await verifyNow(audit, web)
    expect(found).toMatchObject({ ok: true, faults: [], to_seq: EVENTS, waiting: 0, requested_by: 'owner' })
    expect(found).toMatchObject({ events_checked: EVENTS, objects_checked: EVENTS, heads_checked: 2 })
    const { rows } = await database.query(
      sql`SELECT actor, outcome, details FROM event ORDER BY id DESC LIMIT 1`,
    )
    expect(rows).toMatchObject([{ actor: 'owner', outcome: 'ok', details: { to_seq: EVENTS, faults: [] } }])
  })

  it.each(MANIPULATIONS)('names what is wrong when %s', async (_what, change, first) => {
    await change()
    const found = await verifyNow(audit, web)
    expect(found.ok).toBe(false)
    expect(found.faults[0]).toMatchObject(first)
  })

  it('degrades the health of the audit until one finds nothing', async () => {
    expect(await auditProblem(database)).toBeNull()
    const key = await keyOf(3)
    const bytes = (await store.get(key))?.bytes as Uint8Array
    await putInstead(key, Buffer.from('{}'))
    await verifyNow(audit, web)
    await sealToMark()
    expect(await auditProblem(database)).toBe('audit_failed: Verification failed: object_differs at event 3.')
    await putInstead(key, bytes)
    await verifyNow(audit, web)
    await sealToMark()
    expect(await auditProblem(database)).toBeNull()
    await tamper(sql`UPDATE event_seal SET sealed_at = sealed_at - interval '3 hours' WHERE seq > ${EVENTS}`)
    expect(await auditProblem(database)).toContain('not been signed')
  })

  it('names the event too when all hashes were computed anew, by its object', async () => {
    await tamper(
      sql`UPDATE event SET actor = 'x', body = replace(body, 'gateway', 'x') WHERE id = ${idOf(5)}`,
      HASHES_ANEW,
    )
    expect((await verifyNow(audit, web)).faults).toContainEqual(
      expect.objectContaining({ stage: 'objects', problem: 'object_differs', seq: 5 }),
    )
  })

  it('joins the one under way, and goes on where another worker left it', async () => {
    const caller = { role: 'operator', identity: 'operator:anna', via: 'api' } as const
    const { verification_id } = await startVerification(web, caller)
    expect((await startVerification(web, caller)).verification_id).toBe(verification_id)
    expect(await advanceVerification(audit, 'first')).toBe(true)
    expect(await advanceVerification(audit, 'second')).toBe(false)
    expect((await getVerification(web)).newest).toMatchObject({
      stage: 'unsealed',
      events_checked: EVENTS,
      ok: null,
    })
    await database.query(
      sql`UPDATE audit_verification SET lease_expires_at = clock_timestamp() - interval '1 minute'`,
    )
    while (await advanceVerification(audit, 'second'));
    expect((await getVerification(web)).newest).toMatchObject({
      verification_id,
      ok: true,
      events_checked: EVENTS,
    })
  })

  it('says why it does not go on while the store does not answer, and then goes on', async () => {
    await startVerification(web, GATEWAY)
    const broken = {
      ...audit,
      store: { ...store, list: () => Promise.reject(new Error('the store is away')) } as ObjectStore,
    }
    await advanceVerification(broken, 'test')
    await advanceVerification(broken, 'test')
    await expect(advanceVerification(broken, 'test')).rejects.toThrow('the store is away')
    expect((await getVerification(web)).newest).toMatchObject({
      stage: 'heads',
      last_error: 'the store is away',
    })
    expect(await verifyNow(audit, web)).toMatchObject({ ok: true, last_error: null })
  })

  it('takes a head for good whose signer died before it wrote its row', async () => {
    await addEvents(2)
    await signHead(audit)
    await tamper(sql`DELETE FROM audit_head WHERE seq = ${EVENTS + 2}`)
    expect((await verifyNow(audit, web)).ok).toBe(true)
    await signHead(audit)
    expect((await verifyNow(audit, web)).ok).toBe(true)
  })
})

describe('signed heads', () => {
  it('are signed once, however many sign at the same time', async () => {
    await addEvents(1)
    const signed = await Promise.all(Array.from({ length: 6 }, () => signHead(audit)))
    expect(signed).toEqual(Array(6).fill(EVENTS + 1))
    expect((await store.list('audit/heads/')).keys).toHaveLength(3)
  })

  it('are signed when there is something new and the newest is old enough', async () => {
    const heads = async () => (await store.list('audit/heads/')).keys
    await signHeadWhenDue(audit, 60)
    await addEvents(1)
    await signHeadWhenDue(audit, 60)
    expect(await heads()).toEqual([headKey(MIDDLE), headKey(EVENTS)])
    await tamper(sql`UPDATE audit_head SET signed_at = signed_at - interval '61 minutes'`)
    await signHeadWhenDue(audit, 60)
    expect(await heads()).toEqual([headKey(MIDDLE), headKey(EVENTS), headKey(EVENTS + 1)])
  })

  it('stay valid when their key is replaced, for as long as the new one says so', async () => {
    const old = signingKeyOf(audit.env)
    audit = { ...audit, env: { ...audit.env, AUDIT_SIGNING_KEY: 'another'.repeat(5) } }
    const key = signingKeyOf(audit.env)
    await publishKey(store, key, [{ key_id: old.keyId, public_key: pemOf(old.publicKey) }])
    await addEvents(1)
    await signHead(audit)
    expect(await verifyNow(audit, web)).toMatchObject({ ok: true, heads_checked: 3 })
    expect(await listKeys(audit)).toMatchObject({ key_id: key.keyId, retired: [{ key_id: old.keyId }] })
    // What lies in the store is believed for its signature alone.
    const other = signingKeyOf({ AUDIT_SIGNING_KEY: 'a third one'.repeat(5) })
    await publishKey(store, other, [])
    await store.remove(`audit/keys/${key.keyId}.dsse.json`)
    expect((await verifyNow(audit, web)).faults[0]).toMatchObject({ problem: 'signed_head_unknown_key' })
  })
})
