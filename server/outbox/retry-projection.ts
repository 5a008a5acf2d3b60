/**
 * The retry of what the projector has set aside ([outbox#faults]). An operator asks for it in the ledger; the projector does it under its
 * own lease, so that no event of the family is passed over meanwhile.
 */
import sql from 'sql-template-tag'
import type { ProjectionFault, ProjectionRef } from '#contracts/system.contract.ts'
import { type Caller, PROJECTOR } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { type SealedEvent, sealedOf } from '#server/ledger/seal.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { type Family, isLasting } from './projection-fault.ts'

const SHOWN = [
  'resource_type',
  'resource_id',
  'object_key',
  'message',
  'occurred_at',
  'retry_requested_at',
] as const
const LIMIT = 100

/** What is set aside, oldest first, at most a hundred. */
export async function listProjectionFaults({ db }: Pick<Services, 'db'>): Promise<ProjectionFault[]> {
  const { rows } = await db.query<Row<'projection_fault', (typeof SHOWN)[number]>>(
    sql`SELECT ${columns('projection_fault', 'f', SHOWN)} FROM projection_fault f ORDER BY f.occurred_at, f.resource_id LIMIT ${LIMIT}`,
  )
  return rows.map(({ retry_requested_at, occurred_at, ...row }) => ({
    ...row,
    occurred_at: occurred_at.toISOString(),
    retrying: retry_requested_at !== null,
  }))
}

/** Asks for a retry; 404 when nothing of this is set aside. Asking twice is asking once. */
export async function retryProjection(
  { db }: Pick<Services, 'db'>,
  { resource_type, resource_id }: ProjectionRef,
  caller: Caller,
): Promise<Result<{ retrying: true }>> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ first: boolean }>(sql`WITH old AS (
        SELECT retry_requested_at IS NULL AS first FROM projection_fault
        WHERE resource_type = ${resource_type} AND resource_id = ${resource_id} FOR UPDATE)
      UPDATE projection_fault f SET retry_requested_at = coalesce(f.retry_requested_at, clock_timestamp())
      FROM old WHERE f.resource_type = ${resource_type} AND f.resource_id = ${resource_id} RETURNING old.first`)
    if (!rows[0]) return refuse({ code: 'NOT_FOUND', message: 'Nothing of this is set aside.' })
    if (rows[0].first) await record(tx, { resource_type, resource_id }, caller)
    tx.notify('sealed')
    return ok({ retrying: true })
  })
}

const record = (db: Db, { resource_type, resource_id }: Family, actor: Caller, name = 'projection.retried') =>
  recordEvent(db, { name, actor, resource: { type: 'projection', id: `${resource_type}:${resource_id}` } })

export type ProjectFamily = (events: SealedEvent[], family: Family) => Promise<void>

/** Does the retries that were asked for. What still stands in the way stays set aside, with the newer message. */
export async function retrySetAside(db: Db, project: ProjectFamily): Promise<number> {
  const { rows } = await db.query<Family>(sql`SELECT resource_type, resource_id FROM projection_fault
    WHERE retry_requested_at IS NOT NULL ORDER BY retry_requested_at LIMIT ${LIMIT}`)
  for (const family of rows) await retryFamily(db, family, project)
  return rows.length
}

async function retryFamily(db: Db, family: Family, project: ProjectFamily): Promise<void> {
  const { resource_type, resource_id } = family
  const one = sql`resource_type = ${resource_type} AND resource_id = ${resource_id}`
  try {
    await project(await sealedOf(db, family), family)
  } catch (error) {
    if (!isLasting(error)) throw error
    const message = redactText(error.message).slice(0, 500)
    await db.query(
      sql`UPDATE projection_fault SET retry_requested_at = NULL, message = ${message}, occurred_at = clock_timestamp() WHERE ${one}`,
    )
    return
  }
  await db.transaction(async (tx) => {
    await tx.query(sql`DELETE FROM projection_fault WHERE ${one}`)
    await record(tx, family, PROJECTOR, 'projection.recovered')
  })
}
