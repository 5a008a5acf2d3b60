import {
  accountRef,
  accountView,
  createOperatorRequest,
  resetPasswordRequest,
} from '#contracts/auth.contract.ts'
import { listAccounts } from '#server/auth/list-accounts.query.ts'
import { createOperator, disableOperator, resetOperatorPassword } from '#server/auth/manage-accounts.ts'
import { unwrap } from '#server/auth/refusal-of.ts'
import { guarded, router } from '../trpc.ts'

const withStepUp = () => guarded('account.manage', { stepUp: true })

export const accountsRouter = router({
  list: guarded('account.manage')
    .output(accountView.array())
    .query(({ ctx }) => listAccounts(ctx.services)),
  createOperator: withStepUp()
    .input(createOperatorRequest)
    .mutation(async ({ ctx, input }) => unwrap(await createOperator(ctx.services, input, ctx.caller))),
  disable: withStepUp()
    .input(accountRef)
    .mutation(async ({ ctx, input }) => unwrap(await disableOperator(ctx.services, input, ctx.caller))),
  resetPassword: withStepUp()
    .input(resetPasswordRequest)
    .mutation(async ({ ctx, input }) => unwrap(await resetOperatorPassword(ctx.services, input, ctx.caller))),
})
