import { hostname } from 'node:os'
import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { redact, redactText } from '#server/redaction/redact.ts'
import { boundedDetails, ROOM_BESIDE_RECORD } from './bounded-details.ts'

/** The fields of an event beside its states. `refs` and `details` may be SQL over the changed row `m`.
 * Details and reason are recorded without secrets, and details that are no SQL as short as the ledger takes them (`boundedDetails`). */
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

/** What a person gave as reason, without secrets that slipped into it. */
export const reasonOf = ({ reason }: Pick<EventFields, 'reason'>): string | null =>
  reason === undefined ? null : redactText(reason)

/**
 * `{"record": {column: value}}` of the changed row `m`; the names come from a table of the domain. These values are recorded as they stand in
 * the row, so text of a person or of a program is redacted before it is written there.
 */
const recorded = (names: readonly string[]): Sql =>
  sql`jsonb_build_object('record', jsonb_build_object(${join(names.map((name) => raw(`'${name}', m.${name}`)))}))`

function givenDetails(details: EventFields['details'], room: number | undefined): Sql {
  if (details === undefined) return sql`'{}'::jsonb`
  return isSql(details) ? details : json(boundedDetails(redact(details), room))
}

/** `INSERT INTO event … SELECT … FROM moved m`: the part of a statement that records the event of each row it changed; `from` names those rows. */
export function insertEvent(
  from: Sql,
  cells: {
    /** One name, or SQL over the changed row `m`. */
    name: string | Sql
    resource: string
    id: Sql
    /** Null for a change of something that has no machine. */
    transition: string | null
    fromStatus: Sql
    toStatus: Sql
    refs: Sql
    /** The columns that the event set, for whoever makes the row again from its events. */
    record: readonly string[]
  },
  fields: EventFields,
): Sql {
  const hasRecord = cells.record.length > 0
  const given = givenDetails(fields.details, hasRecord ? ROOM_BESIDE_RECORD : undefined)
  const details = hasRecord ? sql`${given} || ${recorded(cells.record)}` : given
  return sql`INSERT INTO event (name, actor, actor_role, via, resource_type, resource_id, transition, from_status, to_status,
      reason, error_code, node, correlation_id, refs, details)
    SELECT ${cells.name}::text, ${fields.actor.identity}::text, ${fields.actor.role}::text, ${fields.actor.via}::text, ${cells.resource}::text, ${cells.id},
      ${cells.transition}::text, ${cells.fromStatus}, ${cells.toStatus}, ${reasonOf(fields)}::text, ${fields.errorCode ?? null}::text, ${NODE}::text,
      ${fields.correlationId ?? fields.actor.correlationId ?? null}::text, jsonb_strip_nulls(${cells.refs}), ${details}
    FROM ${from} m`
}
