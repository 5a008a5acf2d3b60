/** Runs of the demo agents, worked by the pipeline itself; their jobs are answered on the way. */
import { setTimeout as pause } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { isFinal } from '#domain/run/run.rules.ts'
import type { AgentExecutor } from '#server/ports/agent-executor.ts'
import { handOverRuns } from '#server/runs/hand-over-runs.ts'
import { runAgent } from '#server/runs/run-agent.ts'
import { RunFault, type RunParts } from '#server/runs/run-parts.ts'
import { type RunRow, readRun } from '#server/runs/run-row.ts'
import { RunSupervisor } from '#server/runs/run-supervisor.ts'
import { type Ground, given, OWNER } from './ground.ts'
import { answer, call, hold } from './jobs.ts'

const LIMIT_MS = 120_000

/** What the pipeline works with here: it never pauses between attempts. */
export const runParts = (ground: Ground): RunParts => ({
  ...ground,
  holder: 'seed',
  pause: async () => {},
})

/** A run that is asked for; its id. */
export async function addRun(ground: Ground, slug: string, question?: string): Promise<string> {
  const params: Record<string, string> = question ? { question } : {}
  return given(await runAgent(ground, { slug, params, priority: 'normal' }, OWNER)).run_id
}

/** Asks for a run and works it to its end. */
export async function finishRun(ground: Ground, slug: string, question?: string): Promise<RunRow> {
  const id = await addRun(ground, slug, question)
  const supervisor = new RunSupervisor(runParts(ground), { capacity: 1 })
  const deadline = performance.now() + LIMIT_MS
  try {
    for (;;) {
      await handOverRuns(ground)
      await supervisor.tick()
      const run = await readRun(ground.db, id)
      if (run && isFinal(run.status)) return run
      if (run?.waiting_on?.kind === 'job') await answerJob(ground, run.waiting_on.id)
      if (performance.now() > deadline) throw new Error(`the run ${id} did not end`)
      await pause(10)
    }
  } finally {
    await supervisor.stop()
  }
}

async function answerJob(ground: Ground, id: string): Promise<void> {
  const { rows } = await ground.db.query<{ open: boolean }>(
    sql`SELECT artifact_id IS NULL AS open FROM job WHERE job_id = ${id}`,
  )
  if (rows[0]?.open) await answer(ground, await call(ground, await hold(ground, id)))
}

/** The ground with an agent's engine that cannot be reached: runs on it fail. */
export function withoutEngine(ground: Ground): Ground {
  const execute: AgentExecutor['execute'] = async () => {
    throw new RunFault('MODEL_UNAVAILABLE', 'The model endpoint does not answer.')
  }
  const find = (model: string) => {
    const known = ground.executors.find(model)
    return known && { ...known, execute }
  }
  return { ...ground, executors: { find } }
}
