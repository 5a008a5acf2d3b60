/** A dry run over 10 000 decided proposals: how long it takes, and that the ledger is the same before and after. */
import sql from 'sql-template-tag'
import { proposalRows } from '#prisma/seed/scenarios/large-rows.ts'
import { dryRun } from '#server/approval-rules/dry-run.ts'
import type { Env } from '#server/env.ts'
import { OWNER } from '#server/jobs/testing/queue-room.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Figures } from './figures.ts'
import { agentName, openStage } from './queue-stage.ts'
import { percentile } from './statistics.ts'

const DECIDED = 10_000
const ROUNDS = 20
const RULE = {
  condition: { action: 'propose-note', additions: { lte: 40 } },
  daily_cap: 100,
  expires_at: '2099-01-01T00:00:00.000Z',
}

/** What a write of whatever kind would change. */
async function writesOf(db: Db): Promise<string> {
  const { rows } = await db.query<{ n: string }>(sql`SELECT concat_ws(' ', (SELECT count(*) FROM event),
    (SELECT md5(string_agg(concat(p.status, p.version, p.xmin), '' ORDER BY p.proposal_id)) FROM proposal p),
    (SELECT count(*) FROM approval_rule), (SELECT count(*) FROM approval_rule_day)) AS n`)
  return rows[0]?.n ?? ''
}

export async function benchRules(figures: Figures): Promise<void> {
  const stage = await openStage()
  try {
    const { database: db } = stage
    await db.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      for (const rows of proposalRows({ count: DECIDED, agents: [agentName(1)], revision: 'r' }))
        await tx.query(rows)
      await tx.query(
        sql`UPDATE proposal SET decision_mode = 'manual', decided_by = 'owner', decided_at = created_at`,
      )
    })
    await db.pool.query('VACUUM ANALYZE')
    const services = { db, env: { BLOOM_SESSION_KEY: 'k'.repeat(32) } as Env }
    const before = await writesOf(db)
    const times: number[] = []
    for (const glob of Array.from({ length: ROUNDS }, (_, n) => (n % 2 ? 'notes/n*.md' : 'notes/**1*.md'))) {
      const began = performance.now()
      const rule = { ...RULE, condition: { ...RULE.condition, 'target.path': { glob } } }
      const result = await dryRun(services, { rule }, OWNER)
      times.push(performance.now() - began)
      if (!result.ok || result.value.evaluated !== DECIDED) throw new Error('not all were evaluated')
    }
    const dryRunOf = `dry run of ${DECIDED} proposals`
    const ms = { unit: 'ms', aim: { most: 2_000 } }
    figures.add(`${dryRunOf}, p50`, percentile(times, 0.5), ms)
    figures.add(`${dryRunOf}, slowest`, percentile(times, 1), ms)
    const changed = before === (await writesOf(db)) ? 0 : 1
    figures.add(`${dryRunOf}, ledgers changed`, changed, { unit: '', aim: { most: 0 } })
  } finally {
    await stage.close()
  }
}
