/** The breaker of a worker as it stands in the ledger [runtime#breaker]: read and written while its row is held, always as the last lock of a transaction. */
import sql, { type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import {
  afterAnswer,
  afterCounted,
  type Breaker,
  CLOSED,
  cooled,
  isIncident,
} from '#domain/task/breaker.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { RUNTIME } from './runtime-rows.ts'

/** A failure that counts against the worker. */
export const countFailure = (tx: Db, workerId: string): Promise<void> =>
  changeBreaker(tx, workerId, RUNTIME, (breaker, now) => afterCounted(cooled(breaker, now), now))

/** An answer: it closes. One that is closed and has no failures, as most are, is not touched. */
export const countAnswer = (tx: Db, workerId: string): Promise<void> =>
  changeBreaker(tx, workerId, RUNTIME, afterAnswer, {
    onlyIf: sql`b.failures > 0 OR b.state <> ${CLOSED.state}`,
  })

/** A person closes it, with a reason. */
export const resetBreaker = (tx: Db, workerId: string, reason: string, caller: Caller): Promise<void> =>
  changeBreaker(tx, workerId, caller, () => CLOSED, { reason })

async function changeBreaker(
  tx: Db,
  workerId: string,
  actor: Caller,
  change: (breaker: Breaker, now: number) => Breaker,
  { reason, onlyIf = sql`true` }: { reason?: string; onlyIf?: Sql } = {},
): Promise<void> {
  const { rows } = await tx.query<Row<'worker_breaker'> & { now: Date }>(
    prepared(
      sql`SELECT b.*, clock_timestamp() AS now FROM worker_breaker b WHERE b.worker_id = ${workerId} AND (${onlyIf}) FOR UPDATE`,
    ),
  )
  const row = rows[0]
  if (!row) return
  const before: Breaker = {
    state: row.state,
    failures: row.failures,
    cooldownSeconds: row.cooldown_seconds,
    openUntil: row.open_until?.getTime() ?? null,
    openedAt: row.opened_at.map((at) => at.getTime()),
  }
  const after = change(before, row.now.getTime())
  if (isSame(before, after)) return
  await tx.query(sql`UPDATE worker_breaker SET state = ${after.state}, failures = ${after.failures}, cooldown_seconds = ${after.cooldownSeconds},
      open_until = ${after.openUntil === null ? null : new Date(after.openUntil)}, opened_at = ${after.openedAt.map((at) => new Date(at))}::timestamptz[],
      updated_at = clock_timestamp()
    WHERE worker_id = ${workerId}`)
  const opened = after.state === 'open' && after.openUntil !== before.openUntil
  if (!opened && after.state === before.state) return
  await recordEvent(tx, {
    name: opened ? 'breaker.opened' : 'breaker.closed',
    actor,
    reason,
    resource: { type: 'worker', id: workerId },
    ...(opened ? { outcome: 'error' } : {}),
    details: {
      ...{ failures: after.failures, cooldown_seconds: after.cooldownSeconds },
      ...(opened && isIncident(after) ? { incident: true, openings: after.openedAt.length } : {}),
    },
  })
  tx.notify('tasks')
}

const isSame = (a: Breaker, b: Breaker): boolean =>
  a.state === b.state &&
  a.failures === b.failures &&
  a.openUntil === b.openUntil &&
  a.openedAt.length === b.openedAt.length

/** Opened breakers whose time is over let one task through; returns how many. Selection does not wait for this: it goes by the time itself. */
export async function coolBreakers({ db }: { db: Db }): Promise<number> {
  const { rowCount } =
    await db.query(sql`UPDATE worker_breaker SET state = 'half_open', open_until = NULL, updated_at = clock_timestamp()
    WHERE state = 'open' AND open_until <= clock_timestamp()`)
  if (rowCount) db.notify('tasks')
  return rowCount ?? 0
}
