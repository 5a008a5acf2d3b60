import { randomUUID } from 'node:crypto'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getArtifact } from '#server/artifacts/get-artifact.query.ts'
import { listArtifacts } from '#server/artifacts/list-artifacts.query.ts'
import { getRunArtifact } from '#server/artifacts/run-artifacts.query.ts'
import { commitAnswers } from '#server/artifacts/write-artifact.ts'
import type { Env } from '#server/env.ts'
import { addAgent, addJob, answerFor, call, jobLine, OWNER } from '#server/jobs/testing/queue-room.ts'
import type { Db } from '#server/ledger/database.ts'
import { KEEP_OBJECTS } from '#server/objects/removal-lock.ts'
import { sweepObjects } from '#server/objects/sweep-objects.ts'
import { casKey, type ObjectStore, StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import { approve, noteOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { protectSecrets } from '#server/redaction/redact.ts'
import { previewRetention } from './preview-retention.ts'
import { decideRemovals, finishRemovals } from './remove-artifacts.ts'
import { retainArtifacts } from './retain-artifacts.ts'
import { retentionState } from './retention-state.query.ts'

const DAY = 86_400_000
let kit: NewKit

beforeAll(async () => {
  kit = await newKit()
})
afterAll(() => kit?.end())
/** Everything that earlier tests made is kept: it is younger than what a test looks at. */
beforeEach(() => kit.worker.db.query(sql`UPDATE retention SET days = NULL, begins_at = NULL`))

let made = 0
const HEX = /[0-9a-f]{64}/
/** An artifact with its document, so many days old. */
async function artifact(age: number, more: { run_id?: string } = {}): Promise<string> {
  const id = `art-${randomUUID()}`
  const bytes = Buffer.from(JSON.stringify({ artifact_id: id }))
  const key = casKey(sha256Hex(bytes))
  await kit.store.create(key, bytes)
  await kit.worker.db.query(sql`INSERT INTO artifact (artifact_id, run_id, agent_slug, type, title, object_key, content_sha256, bytes, created_at,
      engine, grounding)
    VALUES (${id}, ${more.run_id ?? null}, 'scout', 'BRIEF', ${`Brief ${++made}`}, ${key}, ${HEX.exec(key)?.[0]}, ${bytes.length},
      clock_timestamp() - make_interval(days => ${age}), '{"id":"extractive","model":null,"version":"1"}',
      '{"status":"grounded","claims":0,"grounded_claims":0}')`)
  return id
}
const retain = (days: number | undefined, inDays = 0, store = kit.store, db: Db = kit.worker.db) =>
  retainArtifacts(
    { db, store, log: kit.log, env: { RETENTION_ARTIFACT_DAYS: days } as Env },
    { now: new Date(Date.now() + inDays * DAY) },
  )
const altered = (over: Partial<ObjectStore>): ObjectStore =>
  new Proxy(kit.store, { get: (store, name) => over[name as 'get'] ?? store[name as 'get'].bind(store) })
/** Announces and lets the day pass. */
async function retainNow(days: number, store = kit.store): Promise<void> {
  await retain(days)
  await retain(days, 1.01, store)
}
const removed = async (ids: string[]) => {
  const { rows } = await kit.worker.db.query<{ artifact_id: string }>(
    sql`SELECT artifact_id FROM artifact_removal WHERE artifact_id = ANY(${ids})`,
  )
  return ids.filter((id) => rows.some((row) => row.artifact_id === id))
}
const isStored = async (id: string) => {
  const { rows } = await kit.worker.db.query<{ object_key: string }>(
    sql`SELECT object_key FROM artifact WHERE artifact_id = ${id}`,
  )
  return (await kit.store.head(rows[0]?.object_key ?? '')) !== null
}
const eventsOf = async (id: string) =>
  (
    await kit.db.query<{ name: string }>(sql`SELECT name FROM event WHERE resource_id = ${id} ORDER BY id`)
  ).rows.map(({ name }) => name)
const parts = () => ({ ...kit, database: kit.database, env: { PUBLIC_URL: 'http://localhost:3000' } })

describe('retention', () => {
  it('is off without a value, and begins a day after the announcement of one', async () => {
    const [old, young] = [await artifact(4_000), await artifact(3_900)]
    expect(await retain(undefined, 9)).toBe(false)
    await retain(3_950)
    await retain(3_950, 0.9)
    expect(await removed([old, young])).toEqual([])
    expect(await retentionState(kit.db)).toMatchObject({ days: 3_950, artifacts: 1, removed: 0 })
    await retain(3_940)
    await retain(3_950, 1.1)
    expect(await removed([old, young])).toEqual([])
    await retain(3_950, 2.2)
    expect(await removed([old, young])).toEqual([old])
    expect([await isStored(old), await isStored(young)]).toEqual([false, true])
    expect(await eventsOf(old)).toEqual(['artifact.removed'])
    await retain(undefined)
    expect(await retentionState(kit.db)).toMatchObject({ days: null, artifacts: 0, removed: 1 })
  })

  it('never takes what a proposal, an entry, a run or a job cites or uses', async () => {
    const ids = Object.fromEntries(
      await Promise.all(
        ['free', 'rejected', 'pending', 'approved', 'openRun', 'byRun', 'ofRun', 'ended', 'job'].map(
          async (name) => {
            const run_id = { byRun: 'run_open', ended: 'run_ended', ofRun: 'run_proposed' }[name]
            return [name, await artifact(3_000, run_id ? { run_id } : {})] as const
          },
        ),
      ),
    ) as Record<string, string>
    const citing = (name: string) => propose(kit, noteOf(`Cites/${name}.md`, `# From ${ids[name]}\n`))
    await citing('pending')
    await approve(kit, await citing('approved'))
    const { proposal_id } = await citing('rejected')
    const no = { proposal_id, decision_note: 'Not what was asked for.', reason_code: 'style' as const }
    expect(await rejectProposal(kit, no, OWNER)).toMatchObject({ ok: true })
    await addAgent(kit.worker.db, 'citing')
    await kit.worker.db.query(sql`INSERT INTO run (run_id, agent_slug, requested_by, params)
      VALUES ('run_open', 'citing', 'owner', ${JSON.stringify({ topic: ids.openRun })}::jsonb)`)
    const ofRun = await propose(kit, noteOf('Cites/run.md', '# Of a run\n'))
    await rawly(
      'proposal',
      sql`UPDATE proposal SET run_id = 'run_proposed' WHERE proposal_id = ${ofRun.proposal_id}`,
    )
    const asked = await answered('run_open')
    await addJob(kit.worker.db, { agent: 'citing', query: `What does ${ids.job} say of leeks?` })

    const dry = await previewRetention(kit, { days: 2_900 }, OWNER)
    const found = dry.items.map((one) => one.artifact_id).filter((id) => Object.values(ids).includes(id))
    expect(found.sort()).toEqual([ids.ended, ids.free, ids.rejected].sort())
    expect(dry).toMatchObject({ days: 2_900, artifacts: dry.items.length })
    expect(await removed(Object.values(ids))).toEqual([])
    await retainNow(2_900)
    expect((await removed(Object.values(ids))).sort()).toEqual([ids.ended, ids.free, ids.rejected].sort())
    expect(await removed([asked])).toEqual([])
    for (const name of ['pending', 'approved', 'openRun', 'byRun', 'ofRun', 'job'])
      expect(await isStored(ids[name] ?? ''), name).toBe(true)
  })

  it('leaves the artifact in the list, and answers its document with 410', async () => {
    const id = await artifact(2_000, { run_id: 'run_gone' })
    await retainNow(1_990)
    expect(await getArtifact(parts(), id, OWNER)).toMatchObject({
      ok: false,
      refusal: { code: 'ARTIFACT_REMOVED', details: { artifact_id: id } },
    })
    const file = { run_id: 'run_gone', file: `${id}.json` }
    expect(await getRunArtifact(parts(), file, OWNER)).toMatchObject({
      refusal: { code: 'ARTIFACT_REMOVED' },
    })
    const page = await listArtifacts(parts(), { limit: 100 }, OWNER)
    expect(page.items.find((one) => one.artifact_id === id)?.removed_at).toMatch(/Z$/)
    expect(await eventsOf(id)).toEqual(['artifact.removed'])
    // The sweep has nothing to do with it: its row still names the object.
    const sweep = { holder: 'w', now: new Date(Date.now() + 30 * 3_600_000) }
    expect(await sweepObjects({ db: kit.worker.db, store: kit.store }, sweep)).toMatchObject({
      marked: 0,
      removed: 0,
    })
  })

  it('decides nothing while the store tells of an event that the ledger has not', async () => {
    const id = await artifact(1_500)
    const unknown = `audit/${new Date().toISOString().slice(0, 10).replaceAll('-', '')}/evt_0LATER.json`
    await kit.store.create(unknown, Buffer.from('{}'))
    await expect(retainNow(1_490)).rejects.toThrow('evt_0LATER')
    expect(await removed([id])).toEqual([])
    await kit.store.remove(unknown)
    await retain(1_490, 2)
    expect(await removed([id])).toEqual([id])
  })

  it('keeps what came to be cited while it decided', async () => {
    const [cited, other] = [await artifact(1_300), await artifact(1_295)]
    const { db } = kit.worker
    const query: Db['query'] = async (statement) => {
      const answer = await db.query<never>(statement)
      if (statement.text.includes('removable'))
        await propose(kit, noteOf('Cites/meanwhile.md', `# From ${cited}\n`))
      return answer
    }
    const now = new Date()
    expect(await decideRemovals({ ...db, query }, { days: 1_290, now, limit: 10 })).toBe(1)
    expect(await removed([cited, other])).toEqual([other])
    await finishRemovals(kit.worker)
  })

  it('tells of a dry run that takes too long', async () => {
    const client = new pg.Client({ connectionString: kit.urls.url })
    await client.connect()
    try {
      await client.query('BEGIN')
      await client.query('LOCK TABLE artifact IN ACCESS EXCLUSIVE MODE')
      const dry = previewRetention(kit, { days: 100 }, OWNER, 50)
      await expect(dry).rejects.toMatchObject({ refusal: { code: 'LIMIT_EXCEEDED' } })
    } finally {
      await client.end()
    }
  })

  it('goes on behind an object that cannot be removed', async () => {
    const [stuck, other] = [await artifact(1_200), await artifact(1_190)]
    const { rows } = await kit.worker.db.query<{ object_key: string }>(
      sql`SELECT object_key FROM artifact WHERE artifact_id = ${stuck}`,
    )
    const failing = altered({
      remove: (key) =>
        key === rows[0]?.object_key
          ? Promise.reject(new StorageUnavailable('not this one'))
          : kit.store.remove(key),
    })
    await expect(retainNow(1_180, failing)).rejects.toThrow('not this one')
    expect([await isStored(stuck), await isStored(other)]).toEqual([true, false])
    await expect(retain(undefined, 0, failing)).rejects.toThrow('not this one')
    expect(await retentionState(kit.db)).toMatchObject({ days: null })
    await retain(undefined)
    expect(await isStored(stuck)).toBe(false)
  })

  it('says what keeps it from removing, since when, and no more once a pass came to its end', async () => {
    await artifact(1_100)
    const failing = (message: string) =>
      altered({ remove: () => Promise.reject(new StorageUnavailable(message)) })
    await expect(retainNow(1_090, failing('no answer'))).rejects.toThrow('no answer')
    const first = await retentionState(kit.db)
    expect(first).toMatchObject({ last_error: 'no answer', failing_since: expect.any(String) })
    protectSecrets(['the key of the store'])
    await expect(retain(1_090, 2, failing('the key of the store is wrong'))).rejects.toThrow('is wrong')
    const { failing_since } = first
    expect(await retentionState(kit.db)).toMatchObject({ last_error: '**** is wrong', failing_since })
    await retain(1_090, 2)
    expect(await retentionState(kit.db)).toMatchObject({ last_error: null, failing_since: null })
  })

  it('throws what happened first, also where that cannot be recorded, and records what is no Error', async () => {
    await artifact(1_050)
    const failing = altered({ remove: () => Promise.reject('no disk') })
    const deaf: Db = {
      ...kit.worker.db,
      query: (statement) =>
        statement.sql.includes('coalesce(failing_since')
          ? Promise.reject(new Error('the ledger is away'))
          : kit.worker.db.query(statement),
    }
    await retain(1_040)
    await expect(retain(1_040, 1.01, failing, deaf)).rejects.toBe('no disk')
    await expect(retain(1_040, 2, failing)).rejects.toBe('no disk')
    expect(await retentionState(kit.db)).toMatchObject({ last_error: 'no disk' })
    await retain(1_040, 2)
  })

  it('finishes what was broken off, and begins nothing while a backup is being made', async () => {
    const id = await artifact(1_000)
    const failing = altered({ remove: () => Promise.reject(new StorageUnavailable('no answer')) })
    const backup = await kit.database.pool.connect()
    try {
      await backup.query(KEEP_OBJECTS)
      await retainNow(990)
      expect(await removed([id])).toEqual([])
    } finally {
      await backup.query('SELECT pg_advisory_unlock_all()')
      backup.release()
    }
    await expect(retain(990, 2, failing)).rejects.toThrow('no answer')
    expect([await removed([id]), await isStored(id)]).toEqual([[id], true])
    expect(await finishRemovals({ db: kit.worker.db, store: kit.store })).toBe(1)
    expect(await isStored(id)).toBe(false)
    expect(await eventsOf(id)).toEqual(['artifact.removed'])
  })
})

/** The artifact of a job that this run has called, as old as the others. */
async function answered(run_id: string): Promise<string> {
  const room = { db: kit.worker.db, database: kit.worker.database }
  const id = await addJob(room.db)
  await commitAnswers(room, [answerFor(await call(room, id))])
  const { artifact_id } = await jobLine(room.db, id)
  await rawly(
    'artifact',
    sql`UPDATE artifact SET created_at = '2015-01-01' WHERE artifact_id = ${artifact_id}`,
  )
  await room.db.query(
    sql`INSERT INTO run_call (run_id, call_index, tool, input_digest, job_id) VALUES (${run_id}, 0, 'research', 'd', ${id})`,
  )
  return artifact_id ?? ''
}

/** What no use-case does: as the owner of the tables, with the guards set aside. */
async function rawly(table: 'proposal' | 'artifact', statement: ReturnType<typeof sql>): Promise<void> {
  const client = new pg.Client({ connectionString: kit.urls.url })
  await client.connect()
  try {
    await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    await client.query(statement)
    await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
  } finally {
    await client.end()
  }
}
