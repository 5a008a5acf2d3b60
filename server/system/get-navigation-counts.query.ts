import sql from 'sql-template-tag'
import type { NavigationCounts } from '#contracts/system.contract.ts'
import { alertMachine } from '#domain/alert/alert.machine.ts'
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { state } from '#server/ledger/states.ts'
import { waitsForDecision } from '#server/proposals/proposal-row.ts'
import type { Services } from '#server/services.ts'

type Counts = Omit<NavigationCounts, 'needs'>

const NOTHING: Counts = {
  proposals_waiting: 0,
  proposals_failed: 0,
  inbox_pending: 0,
  runs_running: 0,
  jobs_dead: 0,
  alerts_open: 0,
}

/** What awaits attention, for the navigation. SQL: counts, each from an index of states. */
export async function getNavigationCounts({ db }: Pick<Services, 'db'>): Promise<Counts> {
  const { rows } = await db.query<Counts>(
    prepared(sql`SELECT
    (SELECT count(*) FROM proposal p WHERE ${waitsForDecision('p')}) AS proposals_waiting,
    (SELECT count(*) FROM proposal WHERE status = ${state(proposalMachine, 'FAILED')}) AS proposals_failed,
    (SELECT count(*) FROM inbox_entry WHERE status = ${state(inboxMachine, 'pending')}) AS inbox_pending,
    (SELECT count(*) FROM run WHERE status = ${state(runMachine, 'running')}) AS runs_running,
    (SELECT count(*) FROM (SELECT 1 FROM job WHERE status = ${state(jobMachine, 'DEAD')} LIMIT 10000) d) AS jobs_dead,
    (SELECT count(*) FROM alert WHERE status = ${state(alertMachine, 'open')}) AS alerts_open`),
  )
  return rows[0] ?? NOTHING
}
