import { z } from 'zod'
import {
  gardenCare,
  navigationCounts as navigationCountsView,
  projectionFault,
  projectionRef,
  systemHealth as systemHealthView,
  systemSettings,
} from '#contracts/system.contract.ts'
import { getGardenCare } from '#server/apply/care/get-garden-care.query.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { listProjectionFaults, retryProjection } from '#server/outbox/retry-projection.ts'
import { getHealth } from './get-health.query.ts'
import { getNavigationCounts } from './get-navigation-counts.query.ts'
import { getSettings } from './get-settings.query.ts'

export const systemOperations = operations('system', {
  health: read('health.read', {
    summary: 'Health of every component, as canonical storage shows it',
    rest: 'GET /api/v1/system/health',
    statusOf: ({ status }) => (status === 'critical' ? 503 : 200),
    output: systemHealthView,
    run: ({ services }) => getHealth(services),
  }),
  projectionFaults: read('health.read', {
    summary: 'What the projector has set aside, with the reason',
    rest: 'GET /api/v1/system/projection-faults',
    output: z.object({ items: z.array(projectionFault) }),
    run: async ({ services }) => ({ items: await listProjectionFaults(services) }),
  }),
  retryProjection: write('projection.retry', {
    summary: 'Project again what was set aside',
    rest: 'POST /api/v1/system/projection-faults/{resource_type}/{resource_id}/retry',
    input: projectionRef,
    output: z.object({ retrying: z.literal(true) }),
    run: ({ services, caller }, input) => retryProjection(services, input, caller),
  }),
  garden: read('health.read', {
    summary: 'The remote that follows the garden, and the newest check of its objects',
    rest: 'GET /api/v1/system/garden',
    output: gardenCare,
    run: ({ services }) => getGardenCare(services),
  }),
  settings: read('settings.read', {
    summary: 'What this installation runs with',
    rest: 'GET /api/v1/system/settings',
    output: systemSettings,
    run: async ({ services }) => getSettings(services),
  }),
  counts: read('health.read', {
    summary: 'What waits for somebody',
    rest: 'GET /api/v1/system/counts',
    output: navigationCountsView,
    run: ({ services }) => getNavigationCounts(services),
  }),
})
