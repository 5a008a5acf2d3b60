/**
 * The check of all objects of the garden's repository ([apply#integrity]): every week, after a worker ended without a farewell, and every hour
 * while something is broken. It only reads. A check that was cut off is done again.
 */
import sql from 'sql-template-tag'
import { APPLY_ENGINE } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { GitVerification } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'
import { CARE_LEASE_SECONDS, whileLeased } from './hold-lease.ts'

const EVERY_DAYS = 7
/** A worker that has been silent for longer, and did not say that it stops, was killed. */
const SILENCE_SECONDS = 45
const LIMIT_MS = 3_600_000

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    garden_check: { checked_by: GitVerification['by'] | null; faults: string[] }
  }
}

type Taken = Pick<Row<'garden_check'>, 'fence' | 'faults'>

/** Checks if it is due; what was found, or null when nothing was done. */
export async function checkObjects(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  signal: AbortSignal,
): Promise<GitVerification | null> {
  const taken = await takeLease(db)
  if (!taken) return null
  const renew = () => renewLease(db, taken.fence)
  const { result: found } = await whileLeased({ renew, signal, limitMs: LIMIT_MS }, (either) =>
    garden.verify(either),
  )
  await record(db, taken, found)
  return found
}

async function takeLease(db: Db): Promise<Taken | null> {
  const { rows } =
    await db.query<Taken>(sql`UPDATE garden_check c SET fence = c.fence + 1, started_at = clock_timestamp(),
      lease_expires_at = clock_timestamp() + make_interval(secs => ${CARE_LEASE_SECONDS})
    WHERE (c.lease_expires_at IS NULL OR c.lease_expires_at <= clock_timestamp()) AND (
      c.finished_at IS NULL OR c.finished_at < c.started_at
      OR c.finished_at <= clock_timestamp() - make_interval(days => ${EVERY_DAYS})
      OR (c.faults <> '[]' AND c.finished_at <= clock_timestamp() - interval '1 hour')
      OR EXISTS (SELECT 1 FROM worker_process w WHERE w.stopped_at IS NULL AND w.heartbeat_at > c.started_at
        AND w.heartbeat_at < clock_timestamp() - make_interval(secs => ${SILENCE_SECONDS})))
    RETURNING c.fence, c.faults`)
  return rows[0] ?? null
}

async function renewLease(db: Db, fence: number): Promise<boolean> {
  const { rowCount } = await db.query(sql`UPDATE garden_check
    SET lease_expires_at = clock_timestamp() + make_interval(secs => ${CARE_LEASE_SECONDS}) WHERE fence = ${fence}`)
  return rowCount === 1
}

/** The result, and an event when the repository is found broken in a way that was not known. */
function record(db: Db, taken: Taken, found: GitVerification): Promise<void> {
  return db.transaction(async (tx) => {
    const { rowCount } =
      await tx.query(sql`UPDATE garden_check SET finished_at = clock_timestamp(), lease_expires_at = NULL,
        checked_by = ${found.by}, commit = ${found.commit}, objects = ${found.objects}, faults = ${json(found.faults)}
      WHERE fence = ${taken.fence}`)
    const isNews = JSON.stringify(found.faults) !== JSON.stringify(taken.faults)
    if (rowCount === 0 || found.faults.length === 0 || !isNews) return
    await recordEvent(tx, {
      name: 'garden.damaged',
      actor: APPLY_ENGINE,
      resource: { type: 'component', id: 'git_garden' },
      outcome: 'error',
      reason: found.faults[0] ?? '',
      details: { checked_by: found.by, commit: found.commit, faults: found.faults.slice(0, 20) },
    })
  })
}
