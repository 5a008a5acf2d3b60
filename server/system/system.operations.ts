import { z } from 'zod'
import {
  navigationCounts as navigationCountsView,
  projectionFault,
  projectionRef,
  systemHealth as systemHealthView,
  systemSettings,
} from '#contracts/system.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { listProjectionFaults, retryProjection } from '#server/outbox/retry-projection.ts'
import { getHealth } from './get-health.query.ts'
import { getNavigationCounts } from './get-navigation-counts.query.ts'
import { getSettings } from './get-settings.query.ts'

export const systemOperations = operations('system', {
  health: read('health.read', {
    summary: 'Get the health of every component',
    rest: 'GET /api/v1/system/health',
    statusOf: ({ status }) => (status === 'critical' ? 503 : 200),
    output: systemHealthView,
    run: ({ services }) => getHealth(services),
  }),
  projectionFaults: read('health.read', {
    summary: 'List objects that could not be projected, with the reason',
    rest: 'GET /api/v1/system/projection-faults',
    output: z.object({ items: z.array(projectionFault) }),
    run: async ({ services }) => ({ items: await listProjectionFaults(services) }),
  }),
  retryProjection: write('projection.retry', {
    summary: 'Retry a projection',
    rest: 'POST /api/v1/system/projection-faults/{resource_type}/{resource_id}/retry',
    input: projectionRef,
    output: z.object({ retrying: z.literal(true) }),
    run: ({ services, caller }, input) => retryProjection(services, input, caller),
  }),
  settings: read('settings.read', {
    summary: 'Get the configuration of this installation',
    rest: 'GET /api/v1/system/settings',
    output: systemSettings,
    run: async ({ services }) => getSettings(services),
  }),
  counts: read('health.read', {
    summary: 'Get the counts of pending work',
    rest: 'GET /api/v1/system/counts',
    output: navigationCountsView,
    run: ({ services }) => getNavigationCounts(services),
  }),
})
