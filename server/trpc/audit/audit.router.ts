import {
  auditEventView,
  auditGetInput,
  auditHistory,
  auditHistoryInput,
  auditListInput,
  auditPage as auditPageView,
  auditVerification,
} from '#contracts/audit.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { auditEvent, auditPage, historyOf } from '#server/audit/page.query.ts'
import { verifyAudit } from '#server/audit/verify-audit.ts'
import { guarded, router } from '../trpc.ts'

export const auditRouter = router({
  list: guarded('audit.read')
    .input(auditListInput)
    .output(auditPageView)
    .query(({ ctx, input }) => auditPage(ctx.services.db, input)),
  get: guarded('audit.read')
    .input(auditGetInput)
    .output(auditEventView)
    .query(async ({ ctx, input }) => {
      const event = await auditEvent(ctx.services.db, input.event_id)
      if (!event) throw new Refused('NOT_FOUND', 'There is no such event.')
      return event
    }),
  history: guarded('audit.read')
    .input(auditHistoryInput)
    .output(auditHistory)
    .query(async ({ ctx, input }) => ({
      items: await historyOf(ctx.services.db, input.resource_type, input.resource_id),
    })),
  verify: guarded('audit.read')
    .output(auditVerification)
    .mutation(({ ctx }) => verifyAudit(ctx.services, ctx.caller)),
})
