import { z } from 'zod'
import {
  healthHistoryRequest,
  healthHistory as healthHistoryView,
} from '#contracts/health-history.contract.ts'
import {
  gardenCare,
  navigationCounts as navigationCountsView,
  projectionFault,
  projectionRef,
  retentionPreview,
  retentionPreviewInput,
  storageState,
  systemHealth as systemHealthView,
  systemSettings,
} from '#contracts/system.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { getGardenCare } from '#server/apply/care/get-garden-care.query.ts'
import { countNeeds } from '#server/needs/count-needs.ts'
import { sweepState } from '#server/objects/sweep-state.query.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { listProjectionFaults, retryProjection } from '#server/outbox/retry-projection.ts'
import { previewRetention } from '#server/retention/preview-retention.ts'
import { retentionState } from '#server/retention/retention-state.query.ts'
import { getHealth } from './get-health.query.ts'
import { getNavigationCounts } from './get-navigation-counts.query.ts'
import { getSettings } from './get-settings.query.ts'
import { healthHistory } from './health-history.query.ts'

export const systemOperations = operations('system', {
  health: read('health.read', {
    summary: 'Get the health of every component',
    rest: 'GET /api/v1/system/health',
    statusOf: ({ status }) => (status === 'critical' ? 503 : 200),
    output: systemHealthView,
    run: ({ services }) => getHealth(services),
  }),
  healthHistory: read('health.read', {
    summary: 'How the components were in the last day or week',
    rest: 'GET /api/v1/system/health/history',
    input: healthHistoryRequest,
    output: healthHistoryView,
    run: ({ services }, input) => healthHistory(services, input),
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
  garden: read('health.read', {
    summary: 'The remote that follows the garden, and the newest check of its objects',
    rest: 'GET /api/v1/system/garden',
    output: gardenCare,
    run: ({ services }) => getGardenCare(services),
  }),
  settings: read('settings.read', {
    summary: 'Get the configuration of this installation',
    rest: 'GET /api/v1/system/settings',
    output: systemSettings,
    run: async ({ services }) => getSettings(services),
  }),
  storage: read('settings.read', {
    summary: 'What the sweep and retention have removed from the object store, and what waits for them',
    rest: 'GET /api/v1/system/storage',
    output: storageState,
    run: async ({ services }) => ({
      sweep: await sweepState(services.db),
      retention: await retentionState(services.db),
    }),
  }),
  previewRetention: write('retention.preview', {
    summary: 'Dry run of retention: which artifacts would go after so many days; removes nothing',
    rest: 'POST /api/v1/system/retention/preview',
    stepUp: true,
    input: retentionPreviewInput,
    output: retentionPreview,
    run: async ({ services, caller }, input) => ok(await previewRetention(services, input, caller)),
  }),
  counts: read('health.read', {
    summary: 'Get the counts of pending work',
    rest: 'GET /api/v1/system/counts',
    output: navigationCountsView,
    run: async ({ services, caller }) => ({
      ...(await getNavigationCounts(services)),
      needs: (await countNeeds(services.db, caller.role)).count,
    }),
  }),
})
