/**
 * The built-in engine behind the port: PostgreSQL and the loops of the workers ([runs#orchestration]). It is `server/runs` and
 * `server/schedules`; this only says which of their functions answers which operation.
 */
import type { Db } from '#server/ledger/database.ts'
import type { Orchestration } from '#server/ports/orchestration.ts'
import { acceptRun } from '#server/runs/accept-run.ts'
import { readRunStatus } from '#server/runs/read-run-status.query.ts'
import { stopRun } from '#server/runs/stop-run.ts'
import { workerLives } from '#server/runs/worker-lives.query.ts'
import { saveSchedule } from '#server/schedules/save-schedule.ts'

export const VENDOR = 'postgresql'

/** `now` is the ledger's clock unless a test brings its own. */
export const createBuiltInOrchestration = (parts: { db: Db; now?: () => Promise<Date> }): Orchestration => ({
  triggerAgentRun: (run) => acceptRun(parts.db, run),
  getRunStatus: (runId) => readRunStatus(parts.db, runId),
  cancelRun: (runId) => stopRun(parts.db, runId),
  registerSchedule: (schedule) => saveSchedule(parts, schedule),
  healthCheck: async () => ({ healthy: await workerLives(parts.db), vendor: VENDOR }),
})
