/**
 * The engine that executes runs ([runs#orchestration]): replaceable, and without a rule of the product. Who may ask for a run, whether its
 * agent is active, how many wait: that is decided before this port is called, and the ledger has recorded it. An engine owes named steps at
 * least once, durability of each step, one run of an agent at a time and a limit of all, schedules and timers.
 *
 * Every operation may be repeated. One that throws has not been taken by the engine; its caller tries again or leaves it to the next scan.
 */
import type { RunState } from '#domain/run/run.machine.ts'

/** A run that the ledger has recorded as `requested`. */
export type RunToStart = {
  agent_slug: string
  run_id: string
  /** What started it: `manual`, `cron`, `event`, `mcp`. */
  trigger: string
  params: Record<string, unknown>
}

export type TakenRun = { run_id: string; status: RunState }

/** The content of `status.json` ([runs#objects]). */
export type RunStatusObject = Record<string, unknown> & TakenRun

export type AgentSchedule =
  | {
      agent_slug: string
      /** Five fields, in UTC, or behind `CRON_TZ=<IANA name> ` in that zone. */
      cron: string
      enabled: boolean
    }
  /** The agent has none any more. One that it gets later is new, also when it is the same. */
  | { agent_slug: string; cron: null }

export type Orchestration = {
  /** Takes the run. Idempotent by `run_id`: a run that was taken before is returned as it is now. */
  triggerAgentRun(run: RunToStart): Promise<TakenRun>
  /** Null for a run that the engine does not know. */
  getRunStatus(runId: string): Promise<RunStatusObject | null>
  /** Best effort: true when the run is cancelled or will be at its next safe point, false when it is too late. */
  cancelRun(runId: string): Promise<{ cancelled: boolean }>
  /** Replaces the schedule of the agent; one that is not enabled starts nothing. */
  registerSchedule(schedule: AgentSchedule): Promise<void>
  /** Whether somebody takes up runs; `vendor` names the engine. */
  healthCheck(): Promise<{ healthy: boolean; vendor: string }>
}

const ZONE = 'CRON_TZ='

/** The `cron` of a schedule in that zone. */
export const cronIn = ({ cron, zone }: { cron: string; zone: string }): string =>
  zone === 'UTC' ? cron : `${ZONE}${zone} ${cron}`

/** The fields and the zone of such a `cron`. */
export function cronOf(given: string): { cron: string; zone: string } {
  const [first = '', ...fields] = given.split(' ')
  return first.startsWith(ZONE)
    ? { zone: first.slice(ZONE.length), cron: fields.join(' ') }
    : { zone: 'UTC', cron: given }
}
