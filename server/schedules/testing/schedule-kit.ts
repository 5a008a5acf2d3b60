/** Agents with schedules over a real ledger, looked at by workers on a clock of the test. */
import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { createBuiltInOrchestration } from '#server/adapters/orchestration/built-in.ts'
import { states } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { OWNER, openHarness } from '#server/runs/testing/harness.ts'
import type { Kit } from '#server/runs/testing/run-kit.ts'
import { fireSchedules } from '../fire-schedules.ts'
import { registerSchedules } from '../register-schedules.ts'

export type ScheduleKit = Awaited<ReturnType<typeof openScheduleKit>>

export async function openScheduleKit(slugs: string[]) {
  const harness = await openHarness(slugs)
  const { kit } = harness
  const slotsOf = async (slug: string) => {
    const { rows } = await kit.db.query<{ slot: string; run_id: string | null; refused: string | null }>(
      sql`SELECT slot, run_id, refused FROM agent_slot WHERE agent_slug = ${slug} ORDER BY slot`,
    )
    return rows
  }
  return {
    harness,
    kit,
    slotsOf,
    timesOf: async (slug: string) => (await slotsOf(slug)).map(({ slot }) => slot.slice('cron:'.length)),
    define: (slug: string, triggers: object) =>
      kit.db.query(
        sql`UPDATE agent SET definition = ${JSON.stringify({ triggers })}::jsonb WHERE slug = ${slug}`,
      ),
    /** One look of a worker at that time of a clock of its own. */
    async look(at: number, worker: Kit = kit, failpoint?: (name: string) => void) {
      const now = async () => new Date(at)
      await registerSchedules({
        ...worker,
        orchestration: createBuiltInOrchestration({ db: worker.db, now }),
      })
      return fireSchedules({ ...worker, now, ...(failpoint ? { failpoint } : {}) })
    },
    /** Runs that wait would fill the queue of their agent. */
    clearQueue: () =>
      transition(kit.db, {
        machine: 'run',
        event: 'cancel',
        actor: GATEWAY,
        where: sql`o.status IN ${states(runMachine, 'requested', 'queued')}`,
        set: sql`finished_at = clock_timestamp()`,
      }),
    commandOf: (slug: string, event: 'pause' | 'resume') =>
      transition(kit.db, { machine: 'agent', event, actor: OWNER, where: sql`o.slug = ${slug}` }),
    close: () => harness.close(),
  }
}
