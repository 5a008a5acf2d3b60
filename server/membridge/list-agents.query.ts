/** SQL, not Prisma Client, which the Control Plane's process does not open. */
import sql from 'sql-template-tag'
import type { AgentView } from '#contracts/membridge.contract.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { columns } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { AGENT_COLUMNS, type AgentRow, agentView } from './agent-view.ts'

/** All registered agents by name, with their status at this moment. */
export async function listAgents({ db }: Pick<Services, 'db'>): Promise<AgentView[]> {
  const now = await ledgerNow(db)
  const { rows } = await db.query<AgentRow>(
    sql`SELECT ${columns('membridge_agent', 'a', AGENT_COLUMNS)} FROM membridge_agent a ORDER BY a.name`,
  )
  return rows.map((row) => agentView(row, now))
}
