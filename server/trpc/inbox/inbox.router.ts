import { z } from 'zod'
import {
  inboxEntryView,
  inboxFilter,
  inboxPage,
  inboxStats as statsView,
  submitAnswer,
  submitEntryInput,
} from '#contracts/inbox.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { unwrap } from '#server/auth/refusal-of.ts'
import { getEntry } from '#server/inbox/get-entry.query.ts'
import { inboxStats, listEntries } from '#server/inbox/list-entries.query.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { guarded, router } from '../trpc.ts'

export const inboxRouter = router({
  submit: guarded('inbox.submit')
    .input(submitEntryInput)
    .output(submitAnswer)
    .mutation(async ({ ctx, input }) => unwrap(await submitEntry(ctx.services, input, ctx.caller))),
  list: guarded('inbox.read')
    .input(inboxFilter)
    .output(inboxPage)
    .query(({ ctx, input }) => listEntries(ctx.services, input)),
  get: guarded('inbox.read')
    .input(z.object({ inbox_id: z.string().regex(PATTERNS.inbox) }).strict())
    .output(inboxEntryView)
    .query(async ({ ctx, input }) => unwrap(await getEntry(ctx.services, input.inbox_id))),
  stats: guarded('inbox.read')
    .output(statsView)
    .query(({ ctx }) => inboxStats(ctx.services)),
})
