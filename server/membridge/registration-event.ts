import sql, { type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { insertEvent } from '#server/ledger/event-fields.ts'

type RegistrationEvent = {
  /** One name, or SQL over the changed row `m`. */
  name: string | Sql
  resource: 'project' | 'worker' | 'node'
  /** Over the changed row `m`. */
  id: Sql
  details: Record<string, unknown>
}

/** The part of a statement that records the event of each registration it made or removed; `from` names those rows. */
export const recordRegistration = (
  from: Sql,
  { name, resource, id, details }: RegistrationEvent,
  actor: Caller,
): Sql =>
  insertEvent(
    from,
    {
      ...{ name, resource, id, transition: null, record: [] },
      ...{ fromStatus: sql`NULL::text`, toStatus: sql`NULL::text`, refs: sql`'{}'::jsonb` },
    },
    { actor, details },
  )
