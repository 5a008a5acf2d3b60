/**
 * A ledger with so many rows in every list, and a garden for what asks how it stands against it. Rows are made by SQL with the ledger's
 * triggers off, because only reading is measured; the checks of the tables hold all the same.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import sql, { type Sql } from 'sql-template-tag'
import { jobMachine } from '#domain/job/job.machine.ts'
import { jobRows, listRows, type Size } from '#prisma/seed/scenarios/large-rows.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { state } from '#server/ledger/states.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { agentName, createAgents, openStage, type Stage } from './queue-stage.ts'

export const ROWS = Number(process.env.ROWS ?? 100_000)
const AGENTS = 64
/** The audit at as many rows as the other lists: events of their own, and seals that only count. */
const eventsOf = (count: number): readonly Sql[] => [
  sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, from_status, to_status, ts, body)
    SELECT 'job.status.update', 'worker', 'service', 'job', 'j' || (n % 20000), ${state(jobMachine, 'QUEUED')}, ${state(jobMachine, 'CONTEXT_ASSEMBLY')}, now() - n * interval '7 seconds', '{}'
    FROM generate_series(1, ${count}::int) n`,
  sql`INSERT INTO event_seal (seq, event, prev_hash, hash) SELECT id, id, '\\x', '\\x' FROM event`,
  sql`UPDATE event_head SET (seq, low) = (SELECT max(id), max(id) FROM event)`,
]

/** The rows that the benches read, by agents of their own. */
const sizeOf = (count: number, agents: number): Size => ({
  count,
  agents: Array.from({ length: agents }, (_, n) => agentName(n)),
  revision: 'r',
})

export type FilledStage = Stage & { garden: GitRepository }

/** Opens a stage of its own and fills it. */
export async function openFilledStage(count = ROWS): Promise<FilledStage> {
  const stage = await openStage()
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-lists-'))
  const gitdir = path.join(home, 'garden.git')
  const author = { name: 'Bench', email: 'bench@garden-bloom.local' }
  await importGarden(path.resolve('prisma/seed/garden'), gitdir, { author, extraFiles: [] })
  await createAgents(stage.database, AGENTS)
  await stage.database.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    const size = sizeOf(count, AGENTS)
    for (const fill of [...listRows(size), jobRows(size), ...eventsOf(count)]) await tx.query(fill)
  })
  await stage.database.pool.query('VACUUM ANALYZE')
  return {
    ...stage,
    garden: await openGitRepository(gitdir),
    async close() {
      await stage.close()
      fs.rmSync(home, { recursive: true, force: true })
    },
  }
}
