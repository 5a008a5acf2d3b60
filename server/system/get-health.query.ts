/** SQL: staleness is dated by the database clock, the rest are counts. */
import sql from 'sql-template-tag'
import {
  CANONICAL,
  COMPONENTS,
  type Component,
  NOT_CONFIGURED,
  STALE_SECONDS,
  type SystemHealth,
} from '#contracts/system.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { alertMachine, STANDING_ALERTS } from '#domain/alert/alert.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state, states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { spaceFinding } from './disk-space.ts'
import type { Finding } from './probe-health.ts'
import { VERSION } from './version.ts'

const SHOWN = ['component', 'status', 'latency_ms', 'message', 'checked_at', 'last_success_at'] as const
type HealthRow = Row<'component_health', (typeof SHOWN)[number]> & { stale: boolean }

/** The health of the system as last probed. A component whose probe is older than 60 s, or that was never probed, is `stale`. */
export async function getHealth({
  db,
  env,
}: Pick<Services, 'db'> & { env: Pick<Services['env'], 'BLOOM_HOME'> }): Promise<SystemHealth> {
  const [probed, facts, space] = await Promise.all([
    componentRows(db),
    overview(db),
    spaceFinding(env.BLOOM_HOME),
  ])
  // On a full disk a probe may not be stored: what is known of the garden is said here.
  const components = space?.status === 'unavailable' ? withGarden(probed, space) : probed
  const gone = (c: Component) => ['unavailable', 'stale'].includes(components[c].status)
  const impaired = COMPONENTS.some((c) => gone(c) || components[c].status === 'degraded')
  return {
    status: CANONICAL.some((c) => components[c].status === 'unavailable')
      ? 'critical'
      : impaired
        ? 'degraded'
        : 'healthy',
    checked_at: new Date().toISOString(),
    components,
    version: VERSION,
    ...facts,
  }
}

const withGarden = (
  components: SystemHealth['components'],
  finding: Finding,
): SystemHealth['components'] => ({ ...components, git_garden: { ...components.git_garden, ...finding } })

async function componentRows(db: Db): Promise<SystemHealth['components']> {
  const { rows } = await db.query<HealthRow>(
    sql`SELECT ${columns('component_health', 'c', SHOWN)}, c.checked_at < clock_timestamp() - make_interval(secs => ${STALE_SECONDS}) AS stale FROM component_health c`,
  )
  const found = new Map(rows.map((r) => [r.component, r]))
  return Object.fromEntries(COMPONENTS.map((c) => [c, view(c, found.get(c))])) as SystemHealth['components']
}

function view(component: Component, row: HealthRow | undefined): SystemHealth['components'][Component] {
  const status = NOT_CONFIGURED.includes(component) ? 'not_configured' : 'stale'
  if (!row) return { status, latency_ms: null, message: null, checked_at: null, last_success_at: null }
  return {
    status: row.stale ? 'stale' : row.status,
    latency_ms: row.latency_ms,
    message: row.message,
    checked_at: row.checked_at.toISOString(),
    last_success_at: row.last_success_at?.toISOString() ?? null,
  }
}

type Overview = Pick<
  SystemHealth,
  'pending_proposals_count' | 'failed_agents_count' | 'last_run_status' | 'incidents_open'
>

async function overview(db: Db): Promise<Overview> {
  const { rows } = await db.query<Overview>(sql`SELECT
    (SELECT count(*) FROM proposal WHERE status = ${state(proposalMachine, 'PENDING')}) AS pending_proposals_count,
    (SELECT count(*) FROM agent WHERE status = ${state(agentMachine, 'error')}) AS failed_agents_count,
    (SELECT status FROM run ORDER BY requested_at DESC, run_id DESC LIMIT 1) AS last_run_status,
    (SELECT count(*) FROM alert WHERE status IN ${states(alertMachine, ...STANDING_ALERTS)}) AS incidents_open`)
  return (
    rows[0] ?? {
      pending_proposals_count: 0,
      failed_agents_count: 0,
      last_run_status: null,
      incidents_open: 0,
    }
  )
}
