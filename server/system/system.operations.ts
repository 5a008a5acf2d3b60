import {
  navigationCounts as navigationCountsView,
  systemHealth as systemHealthView,
} from '#contracts/system.contract.ts'
import { operations, read } from '#server/operations/operation.ts'
import { getHealth } from './get-health.query.ts'
import { getNavigationCounts } from './get-navigation-counts.query.ts'

export const systemOperations = operations('system', {
  health: read('health.read', {
    summary: 'Health of every component, as canonical storage shows it',
    rest: 'GET /api/v1/system/health',
    statusOf: ({ status }) => (status === 'critical' ? 503 : 200),
    output: systemHealthView,
    run: ({ services }) => getHealth(services),
  }),
  counts: read('health.read', {
    summary: 'What waits for somebody',
    rest: 'GET /api/v1/system/counts',
    output: navigationCountsView,
    run: ({ services }) => getNavigationCounts(services),
  }),
})
