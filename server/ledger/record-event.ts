import sql, { type Sql } from 'sql-template-tag'
import { redact } from '#server/redaction/redact.ts'
import { boundedDetails } from './bounded-details.ts'
import type { Db } from './database.ts'
import { type EventFields, json, NODE, reasonOf } from './event-fields.ts'

export type Recorded = Omit<EventFields, 'details'> & {
  name: string
  resource: { type: string; id: string }
  outcome?: 'ok' | 'refused' | 'error'
  refs?: Record<string, unknown>
  details?: Record<string, unknown>
  from?: string
  to?: string
}

/** Records an event that is no transition: a refusal, a sign-in, an export. Part of the caller's transaction when given one. */
export async function recordEvent(db: Db, e: Recorded): Promise<void> {
  await db.query(sql`INSERT INTO event (name, actor, actor_role, via, resource_type, resource_id, from_status, to_status, reason, outcome, error_code,
      node, correlation_id, refs, details)
    VALUES (${e.name}, ${e.actor.identity}, ${e.actor.role}, ${e.actor.via}, ${e.resource.type}, ${e.resource.id}, ${e.from ?? null}, ${e.to ?? null},
      ${reasonOf(e)}, ${e.outcome ?? 'ok'}, ${e.errorCode ?? null}, ${NODE}, ${e.correlationId ?? e.actor.correlationId ?? null},
      ${json(e.refs ?? {})}, ${json(boundedDetails(redact(e.details ?? {})))})`)
  db.notify('events')
}

/**
 * Runs a statement that writes events beside what it changes (`insertEvent`), and announces them: by default when rows came back. For changes
 * that are no transition of a machine.
 */
export async function changeWithEvent<R extends object>(
  db: Db,
  statement: Sql,
  hasEvent: (rows: readonly R[]) => boolean = (rows) => rows.length > 0,
): Promise<R[]> {
  const { rows } = await db.query<R>(statement)
  if (hasEvent(rows)) db.notify('events')
  return rows
}
