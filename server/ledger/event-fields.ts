import { hostname } from 'node:os'
import sql, { type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'

/** The fields of an event beside its states. `refs` and `details` may be SQL over the changed row `m`. */
export type EventFields = {
  actor: Caller
  reason?: string | undefined
  errorCode?: string | undefined
  correlationId?: string | undefined
  details?: Sql | Record<string, unknown> | undefined
}

export const NODE = hostname()

/** A value for a `jsonb` column. */
export const json = (value: unknown): Sql => sql`${JSON.stringify(value ?? null)}::jsonb`

const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'strings' in value && 'values' in value

/** `INSERT INTO event … SELECT … FROM moved m`: the part of a statement that records the event of each row it changed. */
export function insertEvent(
  from: string,
  cells: {
    name: string
    resource: string
    id: Sql
    transition: string
    fromStatus: Sql
    toStatus: Sql
    refs: Sql
  },
  fields: EventFields,
): Sql {
  const details =
    fields.details === undefined
      ? sql`'{}'::jsonb`
      : isSql(fields.details)
        ? fields.details
        : json(fields.details)
  return sql`INSERT INTO event (name, actor, actor_role, via, resource_type, resource_id, transition, from_status, to_status,
      reason, error_code, node, correlation_id, refs, details)
    SELECT ${cells.name}::text, ${fields.actor.identity}::text, ${fields.actor.role}::text, ${fields.actor.via}::text, ${cells.resource}::text, ${cells.id},
      ${cells.transition}::text, ${cells.fromStatus}, ${cells.toStatus}, ${fields.reason ?? null}::text, ${fields.errorCode ?? null}::text, ${NODE}::text,
      ${fields.correlationId ?? fields.actor.correlationId ?? null}::text, jsonb_strip_nulls(${cells.refs}), ${details}
    FROM ${from === 'moved' ? sql`moved` : sql`made`} m`
}
