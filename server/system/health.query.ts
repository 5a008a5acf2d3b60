import sql from 'sql-template-tag'
import {
  COMPONENTS,
  type Component,
  type NavigationCounts,
  type SystemHealth,
} from '#contracts/system.contract.ts'
import type { Db } from '#server/ledger/database.ts'

const STALE_SECONDS = 60
/** What canonical storage is made of: one of these gone is critical (contract page 10, section 2). */
const CANONICAL: readonly Component[] = ['object_store', 'git_garden', 'ledger']

type HealthRow = {
  component: Component
  status: SystemHealth['components'][Component]['status']
  latency_ms: number | null
  message: string | null
  checked_at: Date
  last_success_at: Date | null
  stale: boolean
}

/** The health of the system as last probed; an answer older than 60 s is `stale`, a component never probed as well. */
export async function systemHealth(db: Db, version: string): Promise<SystemHealth> {
  const [components, facts] = await Promise.all([componentRows(db), overview(db)])
  const gone = (c: Component) => ['unavailable', 'stale'].includes(components[c].status)
  const troubled = COMPONENTS.some((c) => gone(c) || components[c].status === 'degraded')
  return {
    status: CANONICAL.some((c) => components[c].status === 'unavailable')
      ? 'critical'
      : troubled
        ? 'degraded'
        : 'healthy',
    checked_at: new Date().toISOString(),
    components,
    version,
    ...facts,
  }
}

async function componentRows(db: Db): Promise<SystemHealth['components']> {
  const { rows } = await db.query<HealthRow>(
    sql`SELECT *, checked_at < clock_timestamp() - make_interval(secs => ${STALE_SECONDS}) AS stale FROM component_health`,
  )
  const found = new Map(rows.map((r) => [r.component, r]))
  return Object.fromEntries(COMPONENTS.map((c) => [c, view(found.get(c))])) as SystemHealth['components']
}

function view(row: HealthRow | undefined): SystemHealth['components'][Component] {
  if (!row)
    return { status: 'stale', latency_ms: null, message: null, checked_at: null, last_success_at: null }
  return {
    status: row.stale ? 'stale' : row.status,
    latency_ms: row.latency_ms,
    message: row.message,
    checked_at: row.checked_at.toISOString(),
    last_success_at: row.last_success_at?.toISOString() ?? null,
  }
}

async function overview(
  db: Db,
): Promise<Pick<SystemHealth, 'pending_proposals_count' | 'failed_agents_count' | 'last_run_status'>> {
  const { rows } = await db.query<{ pending: number; agents: number; last: string | null }>(sql`SELECT
    (SELECT count(*) FROM proposal WHERE status = 'PENDING') AS pending,
    (SELECT count(*) FROM agent WHERE status = 'error') AS agents,
    (SELECT status FROM run ORDER BY requested_at DESC, run_id DESC LIMIT 1) AS last`)
  const r = rows[0]
  return {
    pending_proposals_count: r?.pending ?? 0,
    failed_agents_count: r?.agents ?? 0,
    last_run_status: r?.last ?? null,
  }
}

/** What waits for somebody, for the navigation; each count reads a partial or status index. */
export async function navigationCounts(db: Db): Promise<NavigationCounts> {
  const { rows } = await db.query<NavigationCounts>(sql`SELECT
    (SELECT count(*) FROM proposal WHERE status = 'PENDING') AS proposals_waiting,
    (SELECT count(*) FROM inbox_entry WHERE status = 'pending') AS inbox_pending,
    (SELECT count(*) FROM run WHERE status = 'running') AS runs_running,
    (SELECT count(*) FROM (SELECT 1 FROM job WHERE status = 'DEAD' LIMIT 10000) d) AS jobs_dead`)
  return rows[0] ?? { proposals_waiting: 0, inbox_pending: 0, runs_running: 0, jobs_dead: 0 }
}

/** True when the process can serve: the ledger answers with the current schema. Public, so it tells nothing more. */
export async function canServe(db: Db): Promise<boolean> {
  try {
    await db.query(sql`SELECT seq FROM event_head`)
    return true
  } catch {
    return false
  }
}
