/**
 * What the projector sets aside ([outbox#faults]). A family is the objects of one thing: of a run, a proposal, an entry, an artifact, or
 * one event of the audit. A fault of one of them that no repeat mends is recorded once, the family is left out from then on, and the
 * consumer goes on with the others.
 */
import sql from 'sql-template-tag'
import { PROJECTOR } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { ObjectConflict } from '#server/ports/object-store.ts'
import { redactText } from '#server/redaction/redact.ts'

export type Family = Pick<Row<'projection_fault'>, 'resource_type' | 'resource_id'>

/** The store holds something under this key that the projection cannot replace and must not take for its own. */
export class ProjectionConflict extends Error {
  readonly key: string
  constructor(key: string, what: string) {
    super(`${key} ${what}`)
    this.name = 'ProjectionConflict'
    this.key = key
  }
}

/** True for what stays as it is however often it is tried; a store or a ledger that does not answer is none of it. */
export const isLasting = (error: unknown): error is Error =>
  error instanceof ProjectionConflict ||
  error instanceof ObjectConflict ||
  error instanceof SyntaxError ||
  (error instanceof TypeError && error.cause === undefined)

export const familyName = ({ resource_type, resource_id }: Family): string =>
  `${resource_type} ${resource_id}`

/** The bytes as a JSON object; null when they are none. */
export function jsonObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Names of those of the families that are set aside. */
export async function setAside(db: Db, families: readonly Family[]): Promise<Set<string>> {
  const { rows } = await db.query<Family>(sql`SELECT f.resource_type, f.resource_id FROM projection_fault f
    JOIN unnest(${families.map((f) => f.resource_type)}::text[], ${families.map((f) => f.resource_id)}::text[]) AS i(type, id)
      ON f.resource_type = i.type AND f.resource_id = i.id`)
  return new Set(rows.map(familyName))
}

/** Records the fault once for its family; with its event, unless it concerns the object of just such an event. */
export async function recordFault(
  db: Db,
  family: Family & { silent?: boolean },
  error: Error,
): Promise<void> {
  const { resource_type, resource_id, silent } = family
  const key = 'key' in error ? String(error.key) : ''
  const message = redactText(error.message).slice(0, 500)
  await db.transaction(async (tx) => {
    const { rowCount } =
      await tx.query(sql`INSERT INTO projection_fault (resource_type, resource_id, object_key, message)
      VALUES (${resource_type}, ${resource_id}, ${key}, ${message}) ON CONFLICT DO NOTHING`)
    if (!rowCount || silent) return
    await recordEvent(tx, {
      name: 'projection.failed',
      actor: PROJECTOR,
      resource: { type: 'projection', id: `${resource_type}:${resource_id}` },
      outcome: 'error',
      errorCode: 'PROJECTION_CONFLICT',
      reason: message,
      details: { object_key: key },
    })
  })
}
