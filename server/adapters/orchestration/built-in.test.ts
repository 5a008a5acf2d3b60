import sql from 'sql-template-tag'
import { vi } from 'vitest'
import { type EngineUnderTest, orchestrationConformance } from '#server/launch/testing/orchestration.suite.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { ExecutorInput } from '#server/ports/agent-executor.ts'
import type { RunToStart } from '#server/ports/orchestration.ts'
import { RunSupervisor } from '#server/runs/run-supervisor.ts'
import { ask, expireLease, openHarness } from '#server/runs/testing/harness.ts'
import { outputOf } from '#server/runs/testing/run-kit.ts'
import { fireSchedules } from '#server/schedules/fire-schedules.ts'
import { createBuiltInOrchestration } from './built-in.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const AGENTS = ['scout', 'second', 'third'] as const
const LIMIT = 2
const PATIENCE = { timeoutMs: 30_000, what: 'the engine to come to this' }

orchestrationConformance('built in', async (): Promise<EngineUnderTest> => {
  const h = await openHarness([...AGENTS])
  const executed = new Map<string, number>()
  let blocked = Promise.resolve()
  const execute = async ({ params }: ExecutorInput) => {
    const tag = String(params.tag)
    executed.set(tag, (executed.get(tag) ?? 0) + 1)
    await blocked
    return outputOf()
  }
  // Two processes: where one crashes the other takes over.
  const workers = [await h.worker({ execute }), await h.worker({ execute })]
  for (const { kit } of workers) kit.env = { ...kit.env, RUNS_MAX_RUNNING: LIMIT }
  const supervisors = workers.map(({ kit }) => new RunSupervisor(kit, { capacity: 10 }))
  let now = new Date()
  const orchestration = createBuiltInOrchestration({ db: h.kit.db, now: async () => now })
  const staff = (present: boolean) =>
    h.kit.db.query(sql`INSERT INTO worker_process (worker_id, host, pid) VALUES ('one', 'here', 1)
      ON CONFLICT (worker_id) DO UPDATE SET stopped_at = ${present ? null : new Date()}, heartbeat_at = clock_timestamp()`)
  await staff(true)
  let runs = 0
  return {
    orchestration,
    agents: AGENTS,
    limit: LIMIT,
    async request(agent_slug) {
      const params = { tag: `run-${++runs}` }
      const run_id = await ask(h.kit, agent_slug, params)
      return { run_id, agent_slug, trigger: 'manual', params: { question: QUESTION, ...params } }
    },
    hold() {
      let release = () => {}
      blocked = new Promise((resolve) => {
        release = resolve
      })
      return () => release()
    },
    executed: ({ params }) => executed.get(String(params.tag)) ?? 0,
    checkpoints: (run) => checkpointsOf(h.kit.db, run),
    async workUntil(check) {
      await waitUntil(async () => {
        for (const supervisor of supervisors) await supervisor.tick()
        return check()
      }, PATIENCE)
    },
    async crash({ run_id }) {
      await expireLease(h.kit, run_id)
    },
    async clock(at) {
      now = at
      await fireSchedules({ ...h.kit, now: async () => now })
    },
    async scheduled(slug) {
      const { rows } = await h.kit.db.query<{ n: number }>(
        sql`SELECT count(*)::int AS n FROM run WHERE agent_slug = ${slug} AND trigger = 'cron'`,
      )
      return rows[0]?.n ?? 0
    },
    staff: async (present) => void (await staff(present)),
    async close() {
      for (const supervisor of supervisors) await supervisor.stop()
      await h.close()
    },
  }
})

/** What `ask` asks of every run. */
const QUESTION = 'What grows in the north bed?'

async function checkpointsOf(
  db: Awaited<ReturnType<typeof openHarness>>['kit']['db'],
  { run_id }: RunToStart,
): Promise<Record<number, number>> {
  const { rows } = await db.query<{
    step: number
    n: number
  }>(sql`SELECT (details ->> 'step')::int AS step, count(*)::int AS n
    FROM event WHERE resource_type = 'run' AND resource_id = ${run_id} AND name = 'run.step_completed' GROUP BY 1 ORDER BY 1`)
  return Object.fromEntries(rows.map(({ step, n }) => [step, n]))
}
