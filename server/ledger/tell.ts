import { hostname } from 'node:os'
import sql, { type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'

/** What a change says of itself beside its states. `refs` and `details` may be SQL over the changed row `m`. */
export type Told = {
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

/** `INSERT INTO event … SELECT … FROM moved m`: the part of a statement that tells of the rows it changed. */
export function tellOf(
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
  told: Told,
): Sql {
  const details =
    told.details === undefined ? sql`'{}'::jsonb` : isSql(told.details) ? told.details : json(told.details)
  return sql`INSERT INTO event (name, actor, actor_role, via, resource_type, resource_id, transition, from_status, to_status,
      reason, error_code, node, correlation_id, refs, details)
    SELECT ${cells.name}::text, ${told.actor.identity}::text, ${told.actor.role}::text, ${told.actor.via}::text, ${cells.resource}::text, ${cells.id},
      ${cells.transition}::text, ${cells.fromStatus}, ${cells.toStatus}, ${told.reason ?? null}::text, ${told.errorCode ?? null}::text, ${NODE}::text,
      ${told.correlationId ?? told.actor.correlationId ?? null}::text, jsonb_strip_nulls(${cells.refs}), ${details}
    FROM ${from === 'moved' ? sql`moved` : sql`made`} m`
}
