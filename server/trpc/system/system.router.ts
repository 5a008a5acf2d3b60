import {
  navigationCounts as navigationCountsView,
  systemHealth as systemHealthView,
} from '#contracts/system.contract.ts'
import { getHealth } from '#server/system/get-health.query.ts'
import { getNavigationCounts } from '#server/system/get-navigation-counts.query.ts'
import { guarded, router } from '../trpc.ts'

export const systemRouter = router({
  health: guarded('health.read')
    .output(systemHealthView)
    .query(({ ctx }) => getHealth(ctx.services)),
  counts: guarded('health.read')
    .output(navigationCountsView)
    .query(({ ctx }) => getNavigationCounts(ctx.services)),
})
