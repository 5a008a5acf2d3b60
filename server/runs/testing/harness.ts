/** What the tests of the pipeline share: a database and a ground of their own, supervisors that are stopped, and ways to look. */
import { rm } from 'node:fs/promises'
import sql from 'sql-template-tag'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { ledgerNow } from '../finish-run.ts'
import { handOverRuns } from '../hand-over-runs.ts'
import { parseObject } from '../project-run.ts'
import { requestRun } from '../request-run.ts'
import { runFolder } from '../run-ids.ts'
import { type RunRow, readRun } from '../run-row.ts'
import { RunSupervisor } from '../run-supervisor.ts'
import { addAgent, completeJob, type Kit, type KitOptions, LIMITS, makeGround, openKit } from './run-kit.ts'

export const OWNER = { role: 'owner', identity: 'owner', via: 'console' } as const

/** How long a condition may take on a machine that is busy with other things; it only matters on failure. */
export const PATIENCE_MS = 150_000

/** Waits for a condition with that patience. */
export const patiently = <T>(check: () => T | Promise<T>): Promise<NonNullable<T>> =>
  waitUntil(check, { timeoutMs: PATIENCE_MS })

export type Worker = { kit: Kit; supervisor: RunSupervisor }
export type Harness = Awaited<ReturnType<typeof openHarness>>

export async function openHarness(
  slugs: string[],
  notes?: Parameters<typeof makeGround>[1],
  options: { model?: string } & Partial<KitOptions> = {},
) {
  const database = await createTestDatabase()
  const { model, ...usual } = options
  const folder = await makeGround(slugs, notes, model)
  const workers: Worker[] = []

  const worker = async (more: Partial<KitOptions> = {}): Promise<Worker> => {
    const holder = more.holder ?? `worker-${workers.length}`
    const kit = await openKit({ url: database.workerUrl, folder, ...usual, ...more, holder })
    const made = { kit, supervisor: new RunSupervisor(kit, { capacity: 10 }) }
    workers.push(made)
    return made
  }
  const main = await worker()
  for (const slug of slugs) await addAgent(main.kit.db, slug)

  return {
    ...main,
    url: database.workerUrl,
    ownerUrl: database.url,
    adminUrl: database.adminUrl,
    folder,
    worker,
    /** Stops a worker and closes its connections before the end of the file. */
    async retire(done: Worker) {
      workers.splice(workers.indexOf(done), 1)
      await done.supervisor.stop()
      await done.kit.close()
    },
    async close() {
      for (const { supervisor } of workers) await supervisor.stop()
      for (const { kit } of workers) await kit.close()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Asks for a run of the agent, as its Inbox Entry would; the refusal's code is thrown. */
export async function ask(
  kit: Kit,
  slug: string,
  params: Record<string, string> = {},
  priority: 'normal' | 'high' = 'normal',
): Promise<string> {
  const question = 'What grows in the north bed?'
  const request = { slug, params: { question, ...params }, priority, trigger: 'manual' as const }
  const result = await kit.db.transaction((tx) =>
    requestRun(tx, { ...request, inboxId: null, correlationId: null }, OWNER, LIMITS),
  )
  if (!result.ok) throw new Error(result.refusal.code)
  const { run_id, requested_at } = result.value
  // Runs of one millisecond are ordered by their ids, which are chance: the next is to be younger.
  await waitUntil(async () => (await ledgerNow(kit.db)) > requested_at, { what: 'the next millisecond' })
  return run_id
}

/** A worker that stops when it first comes to the failpoint, and goes on there once it is released; `release` sees it through to its end. */
export async function freezeAt(h: Harness, point: string) {
  let reached = false
  const released = Promise.withResolvers<void>()
  const worker = await h.worker({
    failpoint: async (name) => {
      if (name !== point || reached) return
      reached = true
      await released.promise
    },
  })
  const release = () => {
    released.resolve()
    return h.retire(worker)
  }
  return { worker, isReached: () => reached, release }
}

export type UntilOptions = { jobs?: 'complete' | 'leave' | ((jobId: string) => Promise<void>) }

/** What the worker's loop does: hands over what was requested and lets the engine look for work. */
export async function tick({ kit, supervisor }: Worker): Promise<void> {
  await handOverRuns(kit)
  await supervisor.tick()
}

/** Ticks until the run is as wanted; its Jobs are completed as they come unless they are left. */
export function until(
  { kit, supervisor }: Worker,
  runId: string,
  wanted: (run: RunRow) => boolean,
  { jobs = 'complete' }: UntilOptions = {},
): Promise<RunRow> {
  return waitUntil(
    async () => {
      await tick({ kit, supervisor })
      const run = await readRun(kit.db, runId)
      if (run && wanted(run)) return run
      const answer = jobs === 'complete' ? (id: string) => completeJob(kit, id) : jobs
      if (run?.waiting_on?.kind === 'job' && answer !== 'leave')
        await answer(run.waiting_on.id).catch(() => {})
      return null
    },
    { what: `${runId} to come to its state`, timeoutMs: 120_000 },
  )
}

/** Completes the run's Job as soon as there is one. */
export const answerJob = (kit: Kit, runId: string): Promise<unknown> =>
  waitUntil(
    async () => {
      const { rows } = await kit.db.query<{ job_id: string; status: string }>(
        sql`SELECT job_id, status FROM job WHERE run_id = ${runId}`,
      )
      if (rows[0]?.status === 'COMPLETE') return true
      if (rows[0]) await completeJob(kit, rows[0].job_id)
      return null
    },
    { what: 'the Job of the run', timeoutMs: PATIENCE_MS },
  )

/** As if the holder had been silent for longer than its lease. */
export const expireLease = (kit: Kit, runId: string): Promise<unknown> =>
  kit.db.query(
    sql`UPDATE run SET lease_expires_at = clock_timestamp() - interval '1 s' WHERE run_id = ${runId} AND lease_holder IS NOT NULL`,
  )

export async function storedObject(
  kit: Kit,
  slug: string,
  runId: string,
  name: string,
): Promise<Record<string, unknown> | null> {
  const found = await kit.store.get(`${runFolder(slug, runId)}/${name}`)
  return found ? parseObject(found.bytes) : null
}

export const status = (wanted: RunRow['status']) => (run: RunRow) => run.status === wanted
