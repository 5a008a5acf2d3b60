import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { checkConsistency } from '#server/apply/check-consistency.ts'
import { signHead } from '#server/audit/sign-head.ts'
import { verifyNow } from '#server/audit/testing/verify-now.ts'
import type { Env } from '#server/env.ts'
import { becomeHome } from '#server/launch/identity.mjs'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { ARTIFACTS } from '#server/outbox/project-bodies.ts'
import { approve, type Kit, noteOf, openKit, propose, rowOf } from '#server/proposals/testing/garden-kit.ts'
import { type Harness, openHarness } from '#server/runs/testing/harness.ts'
import { fireEvents } from '#server/schedules/fire-events.ts'
import { projectorLoop } from '#worker/loops/projector.loop.ts'
import { placed } from './rebuild-events.ts'
import { LedgerNotEmpty, NothingStored, rebuildLedger } from './rebuild-ledger.ts'
import { recordOfLedger, withoutRebuild } from './record-of-ledger.ts'
import { live, SECRET } from './testing/lived-garden.ts'
import { wander } from './testing/wander.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 480_000 })

const HOME = '00000000-0000-4000-8000-00000000000a'
const SIGNING = { AUDIT_SIGNING_KEY: 'k'.repeat(43) } as Env

const SEED = 20_261_122

let h: Harness
let kit: Kit
const databases: TestDatabase[] = []
const kits: Kit[] = []
const folders: string[] = []

async function project(one: Pick<Kit, 'worker' | 'store'>): Promise<void> {
  const loop = projectorLoop({ db: one.worker.db, store: one.store }, 'test')
  for (let left = 1; left > 0; ) {
    left = await sealAll(one.worker.db)
    while ((await loop.tick(new AbortController().signal, () => undefined)) === 'again') left++
  }
  await signHead({ db: one.worker.db, store: one.store, env: SIGNING })
}

async function recordIn(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await recordOfLedger(client)
  } finally {
    await client.end()
  }
}

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  databases.push(database)
  return database
}

async function rebuild(into: TestDatabase, more: Partial<Parameters<typeof rebuildLedger>[0]> = {}) {
  return rebuildLedger({
    url: into.url,
    store: await openDirectoryStore(path.join(h.folder, 'store')),
    garden: await openGitRepository(path.join(h.folder, 'garden.git')),
    env: SIGNING,
    bind: (client) => becomeHome(client, HOME, { keepSessions: true }),
    say: () => {},
    ...more,
  })
}

beforeAll(async () => {
  h = await openHarness(['scout', 'reader', 'broken'])
  kit = await openKit(h.folder, { webUrl: h.ownerUrl, workerUrl: h.url })
  kits.push(kit)
  await live(h, kit)
  await wander(kit, 16, SEED)
  await project(kit)
  while ((await fireEvents(kit.worker, 'test')) > 0);
})
afterAll(async () => {
  for (const one of kits) await one.close()
  for (const database of databases) await database.drop()
  for (const folder of folders) await rm(folder, { recursive: true })
  await h?.close()
})

describe('a rebuilt ledger', () => {
  it('has every row of the lost one, column by column, and works', async () => {
    const before = await recordIn(h.ownerUrl)
    const database = await emptyDatabase()
    const rebuilt = await rebuild(database)
    expect(rebuilt).toMatchObject({ faults: [], brokenAt: null })
    const after = withoutRebuild(await recordIn(database.url))
    for (const [table, rows] of Object.entries(before)) {
      expect(rows.length, table).toBeGreaterThan(0)
      expect(after[table], table).toEqual(rows)
    }

    // It works in a home of its own, so that this one stays as the lost ledger knew it.
    const home = await mkdtemp(path.join(tmpdir(), 'bloom-rebuilt-'))
    folders.push(home)
    await cp(h.folder, home, { recursive: true })
    const again = await openKit(home, { webUrl: database.url, workerUrl: database.workerUrl })
    kits.push(again)
    await project(again)
    expect(await verifyNow({ ...again.worker, env: SIGNING }, again)).toMatchObject({ ok: true, faults: [] })
    const made = await approve(again, await propose(again, noteOf('Lived/after.md', '# After\n')))
    await applyDue(again.engine())
    expect(await rowOf(again, made.proposal_id)).toMatchObject({ status: 'APPLIED' })
    expect(await checkConsistency(again.worker)).toEqual([])
    await project(again)
    expect(await verifyNow({ ...again.worker, env: SIGNING }, again)).toMatchObject({ ok: true, faults: [] })
  })

  it('is made from events that hold no secret, records included', async () => {
    const { event = [], proposal = [] } = await recordIn(h.ownerUrl)
    const notes = proposal.filter(({ decision_note }) => String(decision_note).includes('Bearer '))
    const leaking = event.filter(({ body }) => String(body).includes(SECRET)).map(({ name }) => name)
    expect({ leaking, notes: notes.length > 0 }).toEqual({ leaking: [], notes: true })
  })

  it('is made in one piece: a fault on the way leaves an empty database', async () => {
    const database = await emptyDatabase()
    const broken = async () => {
      throw new Error('killed')
    }
    await expect(rebuild(database, { bind: broken })).rejects.toThrow('killed')
    expect((await recordIn(database.url)).proposal).toEqual([])
    expect((await rebuild(database)).faults).toEqual([])
  })

  it('is not made from a store without events', async () => {
    const database = await emptyDatabase()
    const store = await openDirectoryStore(await mkdtemp(path.join(h.folder, 'empty-')))
    await expect(rebuild(database, { store })).rejects.toBeInstanceOf(NothingStored)
    expect((await rebuild(database)).faults).toEqual([])
  })

  it('is refused where something has happened already, and nothing changes there', async () => {
    const before = await recordIn(h.ownerUrl)
    const inUse = { ...(await emptyDatabase()), url: h.ownerUrl }
    await expect(rebuild(inUse)).rejects.toBeInstanceOf(LedgerNotEmpty)
    expect(await recordIn(h.ownerUrl)).toEqual(before)
  })
})

/** Rebuilds from a copy of the store in which something was done to these objects. */
async function rebuildDamaged(damage: (store: string) => Promise<void>) {
  const copy = await mkdtemp(path.join(h.folder, 'damaged-'))
  await cp(path.join(h.folder, 'store'), copy, { recursive: true })
  await damage(copy)
  const database = await emptyDatabase()
  const rebuilt = await rebuild(database, { store: await openDirectoryStore(copy), acceptLoss: true })
  return { ...rebuilt, url: database.url, record: withoutRebuild(await recordIn(database.url)) }
}
const ids = (rows: readonly Record<string, unknown>[] | undefined) =>
  (rows ?? []).map((row) => row.proposal_id)

describe('objects that cannot be used', () => {
  it('are named, each with those that depend on it, and stop nothing else', async () => {
    const before = await recordIn(h.ownerUrl)
    const [torn, orphan] = before.proposal ?? []
    const month = String(orphan?.inbox_entry_id).slice(6, 13)
    const entry = `inbox/${month}/${orphan?.inbox_entry_id}.json`
    const { faults, record, brokenAt } = await rebuildDamaged(async (store) => {
      await writeFile(path.join(store, `proposals/${torn?.proposal_id}.json`), '{"half')
      await rm(path.join(store, entry))
    })
    expect(brokenAt).toBeNull()
    expect(faults.map(({ key }) => key).sort()).toEqual(
      [
        `proposals/${torn?.proposal_id}.json`,
        `proposals/${torn?.proposal_id}/`,
        entry.replace('.json', '.outcome.json'),
        `proposals/${orphan?.proposal_id}.json`,
      ].sort(),
    )
    const left = ids(before.proposal).filter((id) => id !== torn?.proposal_id && id !== orphan?.proposal_id)
    expect(ids(record.proposal)).toEqual(left)
    expect(record.run).toEqual(before.run)
  })

  it('are missed where their events are there', async () => {
    const before = await recordIn(h.ownerUrl)
    const [{ proposal_id } = {}] = before.proposal ?? []
    const { run_id, agent_slug } = before.run?.[0] ?? {}
    const { faults } = await rebuildDamaged(async (store) => {
      for (const gone of [`proposals/${proposal_id}`, `agents/${agent_slug}/runs/${run_id}`])
        await rm(path.join(store, gone), { recursive: true })
      await rm(path.join(store, `proposals/${proposal_id}.json`))
    })
    expect(faults.map(({ key }) => key)).toEqual([`proposal ${proposal_id}`, `run ${run_id}`])
  })

  it('cost no more than themselves, where they are events whose loss is accepted', async () => {
    const before = await recordIn(h.ownerUrl)
    const event = before.event?.find(
      ({ name, resource_id }) => name === 'agent.created' && resource_id === 'scout',
    )
    const { seq } = before.event_seal?.find((one) => one.event === event?.id) ?? {}
    const day = String(event?.ts).slice(0, 10).replaceAll('-', '')
    const { brokenAt, lost, record, faults } = await rebuildDamaged((store) =>
      rm(path.join(store, `audit/${day}/${event?.event_id}.json`)),
    )
    expect({ brokenAt, gaps: lost.gaps }).toMatchObject({ brokenAt: null, gaps: [{ from: seq, to: seq }] })
    expect(faults).toEqual([{ key: 'agents/scout/', why: expect.stringContaining('how it was made') }])
    expect(record.run).toEqual(before.run)
  })
})

describe('what the objects do not say', () => {
  it('is taken from the garden: a commit makes its proposal applied', async () => {
    const before = await recordIn(h.ownerUrl)
    const applied = before.proposal?.find(({ status }) => status === 'APPLIED')
    const { record, faults } = await rebuildDamaged(async (store) => {
      const history = path.join(store, `proposals/${applied?.proposal_id}/history`)
      for (const name of await readdir(history))
        if (!name.endsWith('-created.json')) await rm(path.join(history, name))
    })
    expect(faults).toEqual([])
    const { git_commit, result_hash, applied_over_hash, applied_paths } = applied ?? {}
    expect(record.proposal?.find((row) => row.proposal_id === applied?.proposal_id)).toMatchObject({
      status: 'APPLIED',
      git_commit,
      result_hash,
      applied_over_hash,
      applied_paths,
    })
  })

  it('is taken from the document, where the registry is of an earlier version', async () => {
    const before = (await recordIn(h.ownerUrl)).artifact ?? []
    const { record, faults } = await rebuildDamaged(async (store) => {
      await rm(path.join(store, 'jobs'), { recursive: true })
      for (const { artifact_id, type, job_id, run_id, created_at, content_sha256, object_key } of before) {
        const said = { artifact_id, type, job_id, run_id, created_at, content_sha256, object_key }
        await writeFile(path.join(store, ARTIFACTS, `${artifact_id}.json`), JSON.stringify(said))
      }
    })
    expect(faults.map(({ why }) => why)).toEqual(before.map(() => expect.stringContaining('without its job')))
    const known = ({ job_id: _, finalized_at: __, ...row }: Record<string, unknown>) => row
    expect(record.artifact?.map(known)).toEqual(before.map(known))
  })

  it('is found by the links, where an earlier version stored events without their place', async () => {
    const before = await recordIn(h.ownerUrl)
    const { record, faults, brokenAt } = await rebuildDamaged(async (store) => {
      for (const { ts, event_id, body } of (before.event ?? []).slice(0, 3)) {
        const day = String(ts).slice(0, 10).replaceAll('-', '')
        await writeFile(path.join(store, `audit/${day}/${event_id}.json`), String(body))
      }
    })
    expect({ faults, brokenAt }).toEqual({ faults: [], brokenAt: null })
    expect(record.event).toEqual(before.event)
  })
})

describe('events of an earlier version', () => {
  const event = (n: number, ts: string) => ({ key: `k${n}`, body: `{"n":${n}}`, ts, event_id: `evt_${n}` })
  const faults: string[] = []
  const fault = (key: string) => void faults.push(key)

  it('are left out and named where the links do not confirm their order', () => {
    const events = [event(1, '2026-01-01T00:00:00.000Z'), event(2, '2026-01-02T00:00:00.000Z')]
    const alone = placed(events, null, { fault })
    expect(alone.map(({ position }) => position.seq)).toEqual([1, 2])
    const next = { seq: 3, prev_hash: alone[1]?.position.hash ?? '' }
    expect(placed(events, next, { fault })).toEqual(alone)
    expect(faults).toEqual([])
    expect(placed(events, { seq: 3, prev_hash: 'f'.repeat(64) }, { fault })).toEqual([])
    expect(placed(events, { ...next, seq: 4 }, { fault })).toEqual([])
    expect(faults).toEqual(['k1', 'k2', 'k1', 'k2'])
  })
})
