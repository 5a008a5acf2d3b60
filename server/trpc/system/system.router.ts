import {
  navigationCounts as navigationCountsView,
  systemHealth as systemHealthView,
} from '#contracts/system.contract.ts'
import { navigationCounts, systemHealth } from '#server/system/health.query.ts'
import { VERSION } from '#server/system/version.ts'
import { guarded, router } from '../trpc.ts'

export const systemRouter = router({
  health: guarded('health.read')
    .output(systemHealthView)
    .query(({ ctx }) => systemHealth(ctx.services.db, VERSION)),
  counts: guarded('health.read')
    .output(navigationCountsView)
    .query(({ ctx }) => navigationCounts(ctx.services.db)),
})
