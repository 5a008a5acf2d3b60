import { expect, test } from 'vitest'
import type { SystemHealth } from '#contracts/system.contract.ts'
import { shownHealth } from './health.ts'
import { HEALTH } from './testing/system-answers.ts'

type Component = SystemHealth['components']['ledger']
const NEVER: Component = {
  status: 'stale',
  latency_ms: null,
  message: null,
  checked_at: null,
  last_success_at: null,
}
const silent: Component = { ...HEALTH.components.ledger, status: 'stale' }
const broken: Component = { ...HEALTH.components.ledger, status: 'unavailable' }
const NOTHING = {}

test.each<[string, SystemHealth['status'], Partial<SystemHealth['components']>, string]>([
  ['all is well', 'healthy', NOTHING, 'healthy'],
  ['some were never probed', 'degraded', { audit: NEVER, stream: NEVER }, 'unknown'],
  ['one was probed, and not lately', 'degraded', { audit: NEVER, stream: silent }, 'degraded'],
  ['one is out of order', 'degraded', { audit: NEVER, nlm_backend: broken }, 'degraded'],
  ['storage is out of order', 'critical', { audit: NEVER, ledger: broken }, 'critical'],
])('%s', (_what, status, changed, shown) => {
  expect(shownHealth({ ...HEALTH, status, components: { ...HEALTH.components, ...changed } })).toBe(shown)
})
