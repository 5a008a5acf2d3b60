/** What an owner sees of what guests read, over the whole gateway: notes by REST, rows by the ledger. */
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { READING_DAYS } from '#domain/zone/zone-reading.rules.ts'
import { type WholeGateway, wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { createZone } from './create-zone.ts'
import { guestServices } from './guest-services.ts'
import { writeReadings } from './record-reading.ts'
import { sweepAccess } from './sweep-access.ts'

const [NORTH, SOUTH, OUTSIDE] = ['Beds/North.md', 'Beds/Південь & схід.md', 'Private/Secret.md']
const NOTES = { [NORTH]: '# North\n\nLeeks.\n', [SOUTH]: '# South\n\nBasil.\n', [OUTSIDE]: '# Secret\n' }

let gateway: WholeGateway
let admin: Database
let owner: Record<string, string>
let zone: string
beforeAll(async () => {
  gateway = await wholeGateway(NOTES)
  admin = openDatabase(gateway.ledger.adminUrl, { connections: 2 })
  owner = await gateway.bearer(await gateway.open({}))
})
afterAll(async () => {
  await admin?.close()
  await gateway?.close()
})
beforeEach(async () => {
  const by = { role: 'owner', identity: 'owner', via: 'console' } as const
  const scope = { folders: ['Beds'], tags: [], minutes: 60 }
  const made = await createZone(gateway.services, { name: 'Readers', description: '', ...scope }, by)
  if (!made.ok) throw new Error('no zone')
  zone = made.value.zone.zone_id
})

type Guest = { sid: string; headers: Record<string, string> }
async function enter(): Promise<Guest> {
  const bounds = { zoneId: zone, expiresAt: new Date(Date.now() + 3_600_000), consentVersion: 1 }
  const session = await gateway.open({ role: 'guest', identity: `zone:${zone}`, zone: bounds })
  return { sid: session.sid, headers: await gateway.bearer(session) }
}
const get = async (path: string, headers: Record<string, string>) => {
  const answer = await gateway.app.request(path, { headers })
  return { status: answer.status, body: await answer.json() }
}
const at = (place: string, path: string, more = '') =>
  `/api/v1/notes/${place}?path=${encodeURIComponent(path)}${more}`
const read = async ({ headers }: Pick<Guest, 'headers'>, path: string) =>
  (await get(at('view', path), headers)).status
type Listed = { guest: number; path: string; openings: number; last_read_at: string; reading_id: string }
const listed = async (query = ''): Promise<Listed[]> =>
  (await get(`/api/v1/zones/${zone}/readings${query}`, owner)).body.items
const isListed = (n: number) => waitUntil(async () => (await listed()).length === n)
/** As if the guest had last read this note so long ago. */
const backdate = (sid: string, path: string, ago: Sql) =>
  admin.query(
    sql`UPDATE zone_reading SET last_read_at = clock_timestamp() - ${ago} WHERE sid = ${sid} AND path = ${path}`,
  )

test('names guests by their number, notes by their path, latest first, and nothing else', async () => {
  const [one, two] = [await enter(), await enter()]
  expect(await read(two, NORTH)).toBe(200)
  await isListed(1)
  expect(await read(one, SOUTH)).toBe(200)
  await isListed(2)
  expect(await read(one, NORTH)).toBe(200)
  await isListed(3)
  const rows = await listed()
  expect(rows.map(({ guest, path, openings }) => [guest, path, openings])).toEqual([
    [1, NORTH, 1],
    [1, SOUTH, 1],
    [2, NORTH, 1],
  ])
  expect(await listed('?guest=2')).toEqual([rows[2]])
  expect(await listed('?guest=3')).toEqual([])
  const readers = (await get(`/api/v1/zones/${zone}/readers`, owner)).body
  expect(readers).toMatchObject({
    total: 2,
    items: [
      { guest: 1, notes: 2 },
      { guest: 2, notes: 1 },
    ],
  })
  const said = JSON.stringify([rows, readers])
  for (const secret of [one.sid, two.sid, 'test']) expect(said).not.toContain(secret)
  const pages: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const { body } = await get(`/api/v1/zones/${zone}/readings?limit=1${next && `&cursor=${next}`}`, owner)
    pages.push(...body.items.map((row: Listed) => row.reading_id))
    next = body.next_cursor
  }
  expect(pages).toEqual(rows.map((row) => row.reading_id))
})

test('counts openings, not requests: one write a minute, another opening after a pause', async () => {
  const guest = await enter()
  const answers = await Promise.all(Array.from({ length: 20 }, () => read(guest, NORTH)))
  expect(new Set(answers)).toEqual(new Set([200]))
  await isListed(1)
  const again = () => writeReadings(gateway.services.database, [{ sid: guest.sid, path: NORTH }])
  const first = await listed()
  await again()
  expect(await listed()).toEqual(first)
  expect(first).toMatchObject([{ openings: 1 }])
  await backdate(guest.sid, NORTH, sql`interval '2 minutes'`)
  const [before] = await listed()
  await Promise.all([again(), again(), again()])
  const [after] = await listed()
  expect(after?.openings).toBe(1)
  expect(Date.parse(after?.last_read_at ?? '')).toBeGreaterThan(Date.parse(before?.last_read_at ?? ''))
  await backdate(guest.sid, NORTH, sql`interval '6 minutes'`)
  await Promise.all([again(), again(), again()])
  expect(await listed()).toMatchObject([{ openings: 2 }])
})

test('knows what a guest read, in part or in an older version, and not what was only listed or refused', async () => {
  const guest = await enter()
  for (const path of ['/api/v1/notes', '/api/v1/notes?q=leeks', '/api/v1/notes/tree', at('history', NORTH)])
    expect((await get(path, guest.headers)).status).toBe(200)
  expect(await read(guest, OUTSIDE)).toBe(404)
  expect(await read(guest, 'Beds/Missing.md')).toBe(404)
  expect(await read({ headers: owner }, NORTH)).toBe(200)
  expect((await get(at('excerpt', SOUTH, '&from=1&to=2'), guest.headers)).status).toBe(200)
  await isListed(1)
  const { revision } = (await get(at('view', NORTH), owner)).body
  expect((await get(at('compare', NORTH, `&to=${revision}`), guest.headers)).status).toBe(200)
  await isListed(2)
  expect((await listed()).map(({ path }) => path)).toEqual([NORTH, SOUTH])
})

test('is the owner’s alone, and of a zone that there is', async () => {
  const guest = await enter()
  const operator = await gateway.open({ role: 'operator', identity: 'operator:one', accountId: 'owner' })
  const ask = async (headers: Record<string, string>, of = zone) =>
    Promise.all(
      ['readings', 'readers'].map(async (list) => (await get(`/api/v1/zones/${of}/${list}`, headers)).status),
    )
  expect(await ask(owner)).toEqual([200, 200])
  expect(await ask(owner, '00000000')).toEqual([404, 404])
  expect(await ask(guest.headers)).toEqual([404, 404])
  expect(await ask(await gateway.bearer(operator))).toEqual([403, 403])
  const asGuest = guestServices(gateway.services).db.query(sql`SELECT 1 FROM zone_reading`)
  await expect(asGuest).rejects.toThrow('permission denied')
})

test('makes no reader wait, and fails nobody, where it cannot be written', async () => {
  const guest = await enter()
  await admin.transaction(async (tx) => {
    await tx.query(sql`LOCK TABLE zone_reading IN ACCESS EXCLUSIVE MODE`)
    for (let n = 0; n < 12; n++) expect(await read(guest, n % 2 ? NORTH : SOUTH)).toBe(200)
  })
  await isListed(2)
  await admin.query(sql`DELETE FROM zone_reading`)
  await admin.query(sql`ALTER TABLE zone_reading ADD CONSTRAINT broken CHECK (openings < 0) NOT VALID`)
  expect(await read(guest, NORTH)).toBe(200)
  await expect(writeReadings(gateway.services.database, [{ sid: guest.sid, path: NORTH }])).rejects.toThrow(
    'broken',
  )
  await admin.query(sql`ALTER TABLE zone_reading DROP CONSTRAINT broken`)
  expect(await read(guest, SOUTH)).toBe(200)
  // What was read before may have waited for the constraint to go, too.
  await waitUntil(async () => (await listed()).some(({ path }) => path === SOUTH))
})

test('ends with the session and the zone, is forgotten in time, and goes with the zone', async () => {
  const [guest, other] = [await enter(), await enter()]
  const write = (sid: string, path: string) => writeReadings(gateway.services.database, [{ sid, path }])
  for (const path of [NORTH, SOUTH]) await write(guest.sid, path)
  await gateway.services.db.query(
    sql`UPDATE session SET ended_at = clock_timestamp() WHERE sid = ${guest.sid}`,
  )
  await write(guest.sid, 'Beds/After.md')
  expect(await listed()).toHaveLength(2)
  await backdate(guest.sid, NORTH, sql`make_interval(days => ${READING_DAYS}, mins => 1)`)
  await backdate(guest.sid, SOUTH, sql`make_interval(days => ${READING_DAYS}, mins => -1)`)
  await onLedger(gateway.ledger.workerUrl, (db) => sweepAccess({ db }))
  expect((await listed()).map(({ path }) => path)).toEqual([SOUTH])
  await gateway.services.db.query(sql`UPDATE zone SET expires_at = clock_timestamp() WHERE zone_id = ${zone}`)
  await write(other.sid, NORTH)
  expect(await listed()).toHaveLength(1)
  await admin.query(sql`DELETE FROM session WHERE zone_id = ${zone}`)
  await admin.query(sql`DELETE FROM zone WHERE zone_id = ${zone}`)
  const { rows } = await admin.query(sql`SELECT 1 FROM zone_reading WHERE zone_id = ${zone}`)
  expect(rows).toEqual([])
})
