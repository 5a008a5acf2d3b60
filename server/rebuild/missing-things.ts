import type { Rebuild } from './rebuild-ledger.ts'

/** What each event makes, and the table in which it stands. */
const MADE = {
  'inbox.received': ['inbox_entry', 'inbox_id'],
  'proposal.created': ['proposal', 'proposal_id'],
  'run.requested': ['run', 'run_id'],
  'artifact.created': ['artifact', 'artifact_id'],
} as const

/** Names what the events tell of and no object brought back, unless a fault has named it already. */
export async function nameMissing(
  { client, fault }: Pick<Rebuild, 'client' | 'fault'>,
  faults: readonly { key: string }[],
): Promise<void> {
  for (const [name, [table, key]] of Object.entries(MADE)) {
    const { rows } = await client.query<{ id: string }>(
      `SELECT e.resource_id AS id FROM event e WHERE e.name = $1 AND e.outcome = 'ok'
        AND NOT EXISTS (SELECT FROM ${table} t WHERE t.${key} = e.resource_id) ORDER BY e.id`,
      [name],
    )
    for (const { id } of rows)
      if (!faults.some((known) => known.key.includes(id)))
        fault(`${table} ${id}`, 'is told of by its events, and has no object')
  }
}
