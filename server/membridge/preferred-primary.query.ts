/** SQL, not Prisma Client, which the Control Plane's process does not open. */
import sql from 'sql-template-tag'
import { selectionMachine } from '#domain/leadership/selection.machine.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'

/** Whom a person selected last; null where nobody ever did. */
export async function preferredPrimary(
  { db }: Pick<Services, 'db'>,
  canonicalId: string,
): Promise<string | null> {
  const { rows } = await db.query<
    Row<'membridge_selection', 'primary_node_id'>
  >(sql`SELECT s.primary_node_id FROM membridge_selection s
    WHERE s.canonical_id = ${canonicalId} AND s.status = ${state(selectionMachine, 'promoted')} ORDER BY s.epoch DESC LIMIT 1`)
  return rows[0]?.primary_node_id ?? null
}
