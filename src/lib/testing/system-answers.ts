import { savedViews } from '#contracts/saved-view.contract.ts'
import {
  type NavigationCounts,
  navigationCounts,
  type SystemHealth,
  systemHealth,
} from '#contracts/system.contract.ts'
import { query, router } from './procedures.ts'

const AT = '2026-03-02T09:00:00.000Z'
const healthy = {
  status: 'healthy',
  latency_ms: 2,
  message: null,
  checked_at: AT,
  last_success_at: AT,
} as const

const absent = {
  status: 'not_configured',
  latency_ms: null,
  message: null,
  checked_at: null,
  last_success_at: null,
} as const

export const HEALTH: SystemHealth = {
  status: 'healthy',
  checked_at: AT,
  components: {
    object_store: healthy,
    git_garden: healthy,
    git_memory: absent,
    ledger: healthy,
    orchestration: healthy,
    nlm_backend: healthy,
    memory_backend: absent,
    control_plane: healthy,
    audit: healthy,
    stream: healthy,
  },
  pending_proposals_count: 0,
  failed_agents_count: 0,
  last_run_status: null,
  incidents_open: 0,
  version: '0.0.0',
}

/** A reader who has saved no view. */
export const NO_VIEWS = router({ list: query(savedViews, () => ({ items: [] })) })

/** What the frame of every page asks, where so much needs the reader. */
export const systemOf = (more: Partial<NavigationCounts> = {}) =>
  router({
    health: query(systemHealth, () => HEALTH),
    counts: query(navigationCounts, () => ({
      proposals_waiting: 0,
      proposals_failed: 0,
      needs: 0,
      inbox_pending: 0,
      runs_running: 0,
      jobs_dead: 0,
      alerts_open: 0,
      ...more,
    })),
  })

/** A healthy system in which nothing waits. */
export const SYSTEM = systemOf()
