import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { cancelRun } from './cancel-run.ts'
import { parseObject, projectRows } from './project-run.ts'
import { requestRun } from './request-run.ts'
import { runFolder } from './run-ids.ts'
import { createRunKeeper, type RunKeeper } from './run-keeper.ts'
import { type RunRow, readRun, readSteps } from './run-row.ts'
import {
  addAgent,
  completeJob,
  type Kit,
  type KitOptions,
  makeGround,
  openKit,
  outputOf,
} from './testing/run-kit.ts'

const OWNER = { role: 'owner', identity: 'owner', via: 'console' } as const
let database: TestDatabase
let folder: string
let kits: Kit[]
let keepers: RunKeeper[]

beforeEach(async () => {
  database = await createTestDatabase()
  folder = await makeGround(['scout', 'second'])
  kits = []
  keepers = []
})
afterEach(async () => {
  for (const keeper of keepers) await keeper.stop()
  for (const kit of kits) await kit.close()
  await database.drop()
})

async function kitOf(options: Partial<KitOptions> = {}): Promise<{ kit: Kit; keeper: RunKeeper }> {
  const kit = await openKit({ url: database.url, folder, ...options })
  const keeper = createRunKeeper(kit, { capacity: 10 })
  kits.push(kit)
  keepers.push(keeper)
  return { kit, keeper }
}

async function ask(kit: Kit, slug = 'scout', params = {}): Promise<string> {
  const result = await kit.database.transaction((tx) =>
    requestRun(
      tx,
      {
        slug,
        params: { question: 'What grows in the north bed?', ...params },
        priority: 'normal',
        trigger: 'manual',
        inboxId: null,
        correlationId: null,
      },
      OWNER,
    ),
  )
  if (!result.ok) throw new Error(result.refusal.code)
  return result.value.run_id
}

/** Ticks until the run is as wanted; its Jobs are completed as they come unless told otherwise. */
async function until(
  { kit, keeper }: { kit: Kit; keeper: RunKeeper },
  runId: string,
  wanted: (run: RunRow) => boolean,
  jobs: (jobId: string) => Promise<void> = (id) => completeJob(kit, id),
): Promise<RunRow> {
  return waitUntil(
    async () => {
      await keeper.tick()
      const run = await readRun(kit.db, runId)
      if (run && wanted(run)) return run
      if (run?.waiting_on) await jobs(run.waiting_on.id).catch(() => {})
      return null
    },
    { what: 'the run to come to its state' },
  )
}
const completed = (run: RunRow) => run.status === 'completed'
const object = async (kit: Kit, slug: string, runId: string, name: string) => {
  const found = await kit.store.get(`${runFolder(slug, runId)}/${name}`)
  return found ? parseObject(found.bytes) : null
}

describe('a run from request to its end', () => {
  test('goes through four steps, waits for its Job, and leaves its objects', async () => {
    const at = await kitOf()
    await addAgent(at.kit.db, 'scout')
    const runId = await ask(at.kit)
    const run = await until(at, runId, completed)
    await waitUntil(async () => (await object(at.kit, 'scout', runId, 'status.json'))?.status === 'completed')
    const steps = await readSteps(at.kit.db, runId)
    expect(steps.map((s) => s.status)).toEqual(Array(4).fill('completed'))
    const manifest = await object(at.kit, 'scout', runId, 'manifest.json')
    expect(manifest).toMatchObject({ status: 'completed', proposals_created: 2, steps_count: 4, error: null })
    expect(
      (await at.kit.store.list(`${runFolder('scout', runId)}/`)).keys.map((k) =>
        k.split('/').slice(4).join('/'),
      ),
    ).toEqual([
      'manifest.json',
      'output/proposal.json',
      'status.json',
      'steps/01-load-context.json',
      'steps/02-execute-agent.json',
      'steps/03-persist-results.json',
      'steps/04-finalize.json',
    ])
    const status = await object(at.kit, 'scout', runId, 'status.json')
    expect(status).toMatchObject({
      steps_completed: 4,
      revision: run.revision,
      writer: 'orchestration-layer',
    })
    expect(run.finished_at?.toISOString()).toBe(manifest?.finished_at)
    const stepThree = await object(at.kit, 'scout', runId, 'steps/03-persist-results.json')
    expect(stepThree?.output_digest).toBe(steps[2]?.output_digest)
    expect(run.lease_holder).toBeNull()
  })
})
void sql
void StorageUnavailable
void cancelRun
void projectRows
void outputOf
