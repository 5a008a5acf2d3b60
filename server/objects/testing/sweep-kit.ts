/** The sweep over a directory store and a real ledger; each test has a store of its own and begins without marks. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { readyContexts } from '#server/jobs/backend-call.ts'
import { addAgent, addJob, hold, openRoom, type Room } from '#server/jobs/testing/queue-room.ts'
import type { Db } from '#server/ledger/database.ts'
import { casKey, type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import { sweepObjects } from '../sweep-objects.ts'

const HOUR = 3_600_000

/** What a write is answered whose object the sweep has condemned. */
export const swept = expect.objectContaining({ constraint: 'object_swept' })

export type Stored = { key: string; bytes: Uint8Array; sha256: string }
export const made = (text: string, keyOf = casKey): Stored => {
  const bytes = Buffer.from(text)
  return { key: keyOf(sha256Hex(bytes)), bytes, sha256: sha256Hex(bytes) }
}

/** Sets the hooks of the file that calls it. */
export function sweepKit() {
  let room: Room
  let folder: string
  let store: ObjectStore
  /** The passes of a test go through the hours behind now, since the objects are of now. */
  let start: number

  beforeAll(async () => {
    room = await openRoom()
  })
  afterAll(async () => {
    await room?.close()
  })
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sweep-'))
    store = await openDirectoryStore(folder)
    start = Date.now()
    await room.db.query(sql`DELETE FROM object_mark`)
    await room.db.query(
      sql`UPDATE object_sweep SET next_at = '2000-01-01', lease_holder = NULL, lease_expires_at = NULL`,
    )
    return () => rm(folder, { recursive: true, force: true })
  })

  const at = (hours: number) => new Date(start + hours * HOUR)
  const sweep = (hours: number, over: Partial<ObjectStore> = {}) =>
    sweepObjects({ db: room.db, store: altered(over) }, { holder: randomUUID(), now: at(hours) })
  const altered = (over: Partial<ObjectStore>): ObjectStore =>
    new Proxy(store, { get: (target, name) => over[name as 'get'] ?? target[name as 'get'].bind(target) })

  async function put(keyOf = casKey): Promise<Stored> {
    const object = made(randomUUID(), keyOf)
    await store.create(object.key, object.bytes)
    return object
  }
  const isThere = async ({ key }: Stored) => (await store.head(key)) !== null

  /** The row of an artifact that nobody's job made. */
  const nameIt = (db: Pick<Db, 'query'>, { key, sha256 }: Stored) =>
    db.query(sql`INSERT INTO artifact (artifact_id, agent_slug, type, title, object_key, content_sha256, bytes)
      VALUES (${`art-${randomUUID()}`}, 'scout', 'RESEARCH_BRIEF', 'A brief', ${key}, ${sha256}, 1)`)

  async function nameByJob({ key, sha256 }: Stored): Promise<boolean> {
    const job = await hold(room, await addJob(room.db))
    const context = { context_key: key, context_sha256: sha256, write_token_hash: 'h' }
    const [moved] = await readyContexts(room.db, [{ job_id: job.job_id, fence: job.fence, ...context }])
    return moved ?? false
  }

  async function nameByRun({ key }: Stored): Promise<void> {
    const [slug, run_id] = [await addAgent(room.db, `r-${randomUUID().slice(0, 8)}`), `run_${randomUUID()}`]
    await room.db.query(
      sql`INSERT INTO run (run_id, agent_slug, requested_by) VALUES (${run_id}, ${slug}, 'owner')`,
    )
    await room.db.query(sql`INSERT INTO run_step (run_id, step) VALUES (${run_id}, 1)`)
    await room.db.query(
      sql`UPDATE run_step SET output = jsonb_build_object('context_object', ${key}::text) WHERE run_id = ${run_id}`,
    )
  }

  /** As if the pause after a fault were over. */
  const due = () => room.db.query(sql`UPDATE object_sweep SET next_at = '2000-01-01'`)
  /** As if so much time had passed since everything that the ledger's clock dated. */
  const later = (minutes: number) =>
    room.db.query(sql`UPDATE object_mark SET condemned_at = condemned_at - make_interval(mins => ${minutes}),
      removed_at = removed_at - make_interval(mins => ${minutes})`)

  return {
    ...{ at, sweep, altered, put, isThere, nameIt, nameByJob, nameByRun, due, later },
    get room() {
      return room
    },
    get store() {
      return store
    },
  }
}
