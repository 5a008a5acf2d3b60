/**
 * Brings the branch to the configured remote ([apply#remote]), apart from any application: a push covers all commits that the remote lacks.
 *
 * Which applied proposals wait is read before the pushed head, so whatever waits stands on the pushed commit: the branch only grows. One
 * statement under the fence marks them; a process that dies between push and mark leaves them for the next attempt, which finds the
 * remote where it should be. Only the remote is ever moved, and only forward, so two that push at once do no harm; the lease saves
 * the work. A branch that lost commits is not pushed.
 */
import sql from 'sql-template-tag'
import { APPLY_ENGINE } from '#domain/authority/caller.ts'
import { pushPause } from '#domain/garden/remote.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { GitRemote, PushFault } from '#server/ports/git-remote.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { gardenInconsistencies, lostCommits } from '../garden-watch.ts'
import { CARE_LEASE_SECONDS, whileLeased } from './hold-lease.ts'

/** Long enough for the first push of a large garden. */
const LIMIT_MS = 300_000
/** A remote that has everything is still looked at so often, so that one which moved on is found. */
const LOOK_AGAIN_SECONDS = 3_600
const BATCH = 5_000

type Parts = Pick<Services, 'db' | 'garden'> & { remote: GitRemote }
type Taken = Pick<Row<'garden_remote'>, 'fence' | 'pushed_commit' | 'failures' | 'problem'>

/** One attempt, if it is due or the pause is passed over; what came of it, or null when there was nothing to do. */
export async function pushBranch(
  parts: Parts & { passPause?: boolean },
  signal: AbortSignal,
): Promise<{ pushed: string } | { fault: PushFault } | null> {
  const { db, garden, remote } = parts
  if (lostCommits(await gardenInconsistencies(parts)).length > 0) return null
  await startOverElsewhere(db, remote.address)
  const taken = await takeLease(db, { head: await garden.head(), passPause: parts.passPause ?? false })
  if (!taken) return null
  const commits = await notPushed(db)
  const head = await garden.head()
  const renew = () => renewLease(db, taken.fence)
  const { result: outcome, cut } = await whileLeased({ renew, signal, limitMs: LIMIT_MS }, (either) =>
    remote.push(head, either),
  )
  if (outcome.ok) {
    await recordPushed(db, taken, { head, commits })
    return { pushed: head }
  }
  // The worker stops, or could not keep its lease: nothing is known against the remote.
  if (cut) await release(db, taken.fence)
  else await recordFault(db, taken, outcome)
  return cut ? null : { fault: outcome }
}

/** Another remote begins without any commit: what the former one has says nothing of it. */
async function startOverElsewhere(db: Db, address: string): Promise<void> {
  await db.query(sql`WITH other AS (
      UPDATE garden_remote SET address = ${address}, pushed_commit = NULL, pushed_at = NULL, failures = 0, problem = NULL, message = NULL,
        failing_since = NULL, next_attempt_at = clock_timestamp(), fence = fence + 1, lease_expires_at = NULL
      WHERE address IS DISTINCT FROM ${address} RETURNING only_row)
    UPDATE proposal SET remote_pushed_at = NULL FROM other WHERE remote_pushed_at IS NOT NULL`)
}

async function notPushed(db: Db): Promise<string[]> {
  const { rows } = await db.query<Row<'proposal', 'git_commit'>>(sql`SELECT p.git_commit FROM proposal p
    WHERE p.git_commit IS NOT NULL AND p.remote_pushed_at IS NULL ORDER BY p.updated_at, p.proposal_id LIMIT ${BATCH}`)
  return rows.map((row) => row.git_commit as string)
}

async function takeLease(
  db: Db,
  { head, passPause }: { head: string; passPause: boolean },
): Promise<Taken | null> {
  const { rows } = await db.query<Taken>(sql`UPDATE garden_remote SET fence = fence + 1,
      lease_expires_at = clock_timestamp() + make_interval(secs => ${CARE_LEASE_SECONDS})
    WHERE (lease_expires_at IS NULL OR lease_expires_at <= clock_timestamp())
      AND (next_attempt_at <= clock_timestamp() OR (problem IS NOT NULL AND ${passPause}) OR (problem IS NULL AND (pushed_commit IS DISTINCT FROM ${head}
        OR EXISTS (SELECT 1 FROM proposal p WHERE p.git_commit IS NOT NULL AND p.remote_pushed_at IS NULL))))
    RETURNING fence, pushed_commit, failures, problem`)
  return rows[0] ?? null
}

async function renewLease(db: Db, fence: number): Promise<boolean> {
  const { rowCount } = await db.query(sql`UPDATE garden_remote
    SET lease_expires_at = clock_timestamp() + make_interval(secs => ${CARE_LEASE_SECONDS}) WHERE fence = ${fence}`)
  return rowCount === 1
}

const release = (db: Db, fence: number) =>
  db.query(sql`UPDATE garden_remote SET lease_expires_at = NULL WHERE fence = ${fence}`)

/** The remote has `head`, and with it all of these commits. */
function recordPushed(
  db: Db,
  taken: Taken,
  { head, commits }: { head: string; commits: string[] },
): Promise<void> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ leased: number; marked: number }>(sql`WITH leased AS (
        UPDATE garden_remote SET pushed_commit = ${head}, pushed_at = clock_timestamp(), failures = 0, problem = NULL, message = NULL,
          failing_since = NULL, lease_expires_at = NULL, next_attempt_at = clock_timestamp() + make_interval(secs => ${LOOK_AGAIN_SECONDS})
        WHERE fence = ${taken.fence} RETURNING pushed_at),
      marked AS (
        UPDATE proposal p SET remote_pushed_at = leased.pushed_at FROM leased
        WHERE p.git_commit = ANY(${commits}::text[]) AND p.status = ${state(proposalMachine, 'APPLIED')} AND p.remote_pushed_at IS NULL
        RETURNING p.proposal_id)
      SELECT (SELECT count(*) FROM leased) AS leased, (SELECT count(*) FROM marked) AS marked`)
    const { leased = 0, marked = 0 } = rows[0] ?? {}
    if (leased === 0 || (marked === 0 && taken.pushed_commit === head)) return
    await recordEvent(tx, {
      name: 'garden.pushed',
      actor: APPLY_ENGINE,
      resource: RESOURCE,
      ...(taken.pushed_commit ? { from: taken.pushed_commit } : {}),
      to: head,
      details: { proposals: marked },
    })
  })
}

/** An attempt that failed is recorded in the row; in the audit once for each problem, however often it is met. */
function recordFault(db: Db, taken: Taken, { problem, message }: PushFault): Promise<void> {
  const said = redactText(message).slice(0, 500)
  return db.transaction(async (tx) => {
    const failures = taken.failures + 1
    const { rowCount } =
      await tx.query(sql`UPDATE garden_remote SET failures = ${failures}, problem = ${problem}, message = ${said},
        failing_since = coalesce(failing_since, clock_timestamp()), lease_expires_at = NULL,
        next_attempt_at = clock_timestamp() + make_interval(secs => ${pushPause(failures)})
      WHERE fence = ${taken.fence}`)
    if (rowCount === 0 || problem === taken.problem) return
    await recordEvent(tx, {
      name: 'garden.push_failed',
      actor: APPLY_ENGINE,
      resource: RESOURCE,
      outcome: 'error',
      reason: said,
      details: { problem },
    })
  })
}

const RESOURCE = { type: 'component', id: 'git_garden' } as const
