/** A ledger is lost together with events that a signed head, or later events, attest. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { lossesEnvelope } from '#server/audit/declared-losses.ts'
import { seal } from '#server/audit/dsse.ts'
import { HEAD_TYPE, HEADS, headKey, signHead } from '#server/audit/sign-head.ts'
import { signingKeyOf } from '#server/audit/signing-key.ts'
import { verifyNow } from '#server/audit/testing/verify-now.ts'
import type { Env } from '#server/env.ts'
import { becomeHome } from '#server/launch/identity.mjs'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import { type Kit, makeGarden, noteOf, openKit, propose } from '#server/proposals/testing/garden-kit.ts'
import { projectorLoop } from '#worker/loops/projector.loop.ts'
import { rebuildLedger } from './rebuild-ledger.ts'

const HOME = '00000000-0000-4000-8000-00000000000a'
const SIGNING = { AUDIT_SIGNING_KEY: 'k'.repeat(43) } as Env
const STRANGER = { AUDIT_SIGNING_KEY: 'another'.repeat(7) } as Env

let kit: Kit
/** The objects of the events, by number from 1. */
let keys: string[]
const databases: TestDatabase[] = []
const opened: Database[] = []

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  databases.push(database)
  return database
}

async function project(db: Database, store: ObjectStore): Promise<void> {
  const loop = projectorLoop({ db, store }, 'test')
  for (let left = 1; left > 0; ) {
    left = await sealAll(db)
    while ((await loop.tick(new AbortController().signal, () => undefined)) === 'again') left++
  }
}

async function read(url: string, statement: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

beforeAll(async () => {
  const database = await newDatabase()
  kit = await openKit(await makeGarden(), database)
  const worker = openDatabase(database.workerUrl)
  opened.push(worker)
  for (const name of ['One', 'Two', 'Three']) await propose(kit, noteOf(`${name}.md`, `# ${name}\n`))
  await project(worker, kit.store)
  await signHead({ db: worker, store: kit.store, env: SIGNING })
  const rows = await read(
    database.url,
    `SELECT 'audit/' || to_char(e.ts AT TIME ZONE 'UTC', 'YYYYMMDD') || '/' || e.event_id || '.json' AS key
     FROM event_seal s JOIN event e ON e.id = s.event ORDER BY s.seq`,
  )
  keys = rows.map(({ key }) => key ?? '')
})
afterAll(async () => {
  for (const one of opened) await one.close()
  await kit?.close()
  for (const database of databases) await database.drop()
  if (kit) await rm(kit.folder, { recursive: true })
})

/** A copy of the store without the objects of the events with these numbers. */
async function storeWithout(...seqs: number[]): Promise<{ store: ObjectStore; folder: string }> {
  const folder = await mkdtemp(path.join(kit.folder, 'damaged-'))
  await cp(path.join(kit.folder, 'store'), folder, { recursive: true })
  for (const seq of seqs) await rm(path.join(folder, keys[seq - 1] ?? ''))
  return { store: await openDirectoryStore(folder), folder }
}

async function rebuild(store: ObjectStore, { acceptLoss = false } = {}) {
  const database = await newDatabase()
  const parts = { store, garden: kit.garden, env: SIGNING, url: database.url, acceptLoss, say: () => {} }
  const bind = (client: pg.ClientBase) => becomeHome(client, HOME, { keepSessions: true })
  return { database, ...(await rebuildLedger({ ...parts, bind })) }
}

/** Web and worker of a rebuilt ledger; everything sealed, projected and signed. */
async function atWork({ workerUrl, webUrl }: TestDatabase, store: ObjectStore) {
  const [db, web] = [openDatabase(workerUrl), openDatabase(webUrl)]
  opened.push(db, web)
  const catchUp = async () => {
    await project(db, store)
    await signHead({ db, store, env: SIGNING })
  }
  await catchUp()
  return { catchUp, verify: () => verifyNow({ db, store, env: SIGNING }, { db: web }) }
}

describe('events of the audit that are gone', () => {
  it('are said, and nothing is rebuilt before somebody accepts that', async () => {
    const end = keys.length
    const { store } = await storeWithout(2, end - 1, end)
    await expect(rebuild(store)).rejects.toThrow(
      `3 events of the audit are lost: numbers 2, ${end - 1} to ${end}; the objects end at number ${end - 2}, and the head signed at `,
    )
    const [row] = await read(databases.at(-1)?.url ?? '', 'SELECT count(*)::text AS n FROM event')
    expect(row?.n).toBe('0')
  })

  it('are declared by a signed event that every verification names, and stay declared when the ledger is lost again', async () => {
    const end = keys.length
    const { store } = await storeWithout(2, end - 1, end)
    const { database, brokenAt } = await rebuild(store, { acceptLoss: true })
    expect(brokenAt).toBeNull()
    const { verify, catchUp } = await atWork(database, store)
    const found = await verify()
    expect(found).toMatchObject({
      ok: true,
      faults: [],
      to_seq: end + 1,
      events_checked: end - 2,
      heads_checked: 2,
    })
    const [first] = found.losses
    expect(found.losses).toMatchObject([
      { from: 2, to: 2, event_id: expect.stringMatching(/^evt_/) },
      { from: end - 1, to: end, event_id: first?.event_id },
    ])
    await catchUp()

    const again = await rebuild(store)
    expect(again).toMatchObject({ brokenAt: null, lost: { gaps: [] } })
    expect((await (await atWork(again.database, store)).verify()).losses).toEqual(found.losses)
  })

  it('are a fault where the declaration is signed by another key, or tells of other numbers', async () => {
    const { store } = await storeWithout(2)
    const { database, lost } = await rebuild(store, { acceptLoss: true })
    const { verify } = await atWork(database, store)
    const [gap] = lost.gaps
    if (!gap) throw new Error('nothing is lost')
    const forgeries = [
      lossesEnvelope([gap], signingKeyOf(STRANGER)),
      lossesEnvelope([{ ...gap, to: 3 }], signingKeyOf(SIGNING)),
      lossesEnvelope([{ ...gap, before: 'f'.repeat(64) }], signingKeyOf(SIGNING)),
      lossesEnvelope([{ ...gap, after: 'f'.repeat(64) }], signingKeyOf(SIGNING)),
    ]
    for (const envelope of forgeries) {
      await read(
        database.adminUrl,
        `SET session_replication_role = replica;
         UPDATE event SET details = jsonb_set(details, '{envelope}', to_jsonb('${envelope}'::text)) WHERE name = 'audit.rebuilt'`,
      )
      const found = await verify()
      expect(found.losses).toEqual([])
      expect(found.faults[0]).toMatchObject({ stage: 'chain', problem: 'sequence_gap', seq: 2 })
    }
  })

  it('are not lost on the word of a head that another key signed, which stays a fault', async () => {
    const { store, folder } = await storeWithout()
    const seq = keys.length + 9
    const said = {
      seq,
      hash: 'f'.repeat(64),
      previous: null,
      signed_at: '2026-01-01T00:00:00.000Z',
      key_id: 'x',
    }
    await writeFile(path.join(folder, headKey(seq)), seal(HEAD_TYPE, said, signingKeyOf(STRANGER)))
    const { lost, brokenAt, database } = await rebuild(store)
    expect({ gaps: lost.gaps, brokenAt }).toEqual({ gaps: [], brokenAt: keys.length + 2 })
    const { verify } = await atWork(database, store)
    expect((await verify()).faults[0]).toMatchObject({
      problem: 'signed_head_unknown_key',
      key: headKey(seq),
    })
  })

  it('may be between heads: each head beyond the end is compared as far as there is something to compare with', async () => {
    const { store, folder } = await storeWithout()
    const end = keys.length
    const [newest = ''] = (await store.list(HEADS)).keys
    const previous = await store.get(newest)
    const digest = sha256Hex(previous?.bytes ?? '')
    const head = {
      seq: end + 5,
      hash: 'a'.repeat(64),
      previous: digest,
      signed_at: '2026-01-01T00:00:00.000Z',
      key_id: 'x',
    }
    await writeFile(path.join(folder, headKey(head.seq)), seal(HEAD_TYPE, head, signingKeyOf(SIGNING)))
    const { database, lost } = await rebuild(store, { acceptLoss: true })
    expect(lost.gaps).toMatchObject([{ from: end + 1, to: end + 5, before: 'a'.repeat(64) }])
    const { verify } = await atWork(database, store)
    expect(await verify()).toMatchObject({ ok: true, faults: [], losses: [{ from: end + 1, to: end + 5 }] })
    await rm(path.join(folder, headKey(head.seq)))
    const changed = { ...head, hash: 'b'.repeat(64) }
    await writeFile(path.join(folder, headKey(head.seq)), seal(HEAD_TYPE, changed, signingKeyOf(SIGNING)))
    await read(
      database.adminUrl,
      `SET session_replication_role = replica; DELETE FROM audit_head WHERE seq = ${head.seq}`,
    )
    expect((await verify()).faults[0]).toMatchObject({ problem: 'signed_head_contradicts', seq: head.seq })
  })
})
