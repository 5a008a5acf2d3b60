import { dashboardMetrics, dashboardRequest } from '#contracts/dashboard.contract.ts'
import { operations, read } from '#server/operations/operation.ts'
import { getDashboardMetrics } from './get-dashboard-metrics.query.ts'

const SUMMARY = 'The metrics of an hour, a day or a week as time series, and how the queue stands now'

export const dashboardOperations = operations('dashboard', {
  metrics: read('dashboard.read', {
    summary: SUMMARY,
    rest: ['GET /api/v1/dashboard/metrics', 'GET /api/dashboard/metrics'],
    input: dashboardRequest,
    output: dashboardMetrics,
    run: ({ services }, input) => getDashboardMetrics(services, input),
  }),
})
