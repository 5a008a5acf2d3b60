import {
  auditEventView,
  auditGetInput,
  auditHistory,
  auditHistoryInput,
  auditListInput,
  auditPage as auditPageView,
  auditVerification,
} from '#contracts/audit.contract.ts'
import { getEvent } from '#server/audit/get-event.query.ts'
import { listEvents, listHistory } from '#server/audit/list-events.query.ts'
import { verifyAudit } from '#server/audit/verify-audit.ts'
import { unwrap } from '#server/auth/refusal-of.ts'
import { guarded, router } from '../trpc.ts'

export const auditRouter = router({
  list: guarded('audit.read')
    .input(auditListInput)
    .output(auditPageView)
    .query(({ ctx, input }) => listEvents(ctx.services, input)),
  get: guarded('audit.read')
    .input(auditGetInput)
    .output(auditEventView)
    .query(async ({ ctx, input }) => unwrap(await getEvent(ctx.services, input))),
  history: guarded('audit.read')
    .input(auditHistoryInput)
    .output(auditHistory)
    .query(({ ctx, input }) => listHistory(ctx.services, input)),
  verify: guarded('audit.read')
    .output(auditVerification)
    .mutation(({ ctx }) => verifyAudit(ctx.services, ctx.caller)),
})
