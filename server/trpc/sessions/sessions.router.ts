import { setPasswordRequest, stepUpRequest } from '#contracts/auth.contract.ts'
import { meView, sessionRef, sessionView } from '#contracts/session.contract.ts'
import { endOtherSessions, endSession } from '#server/auth/end-session.ts'
import { getMe } from '#server/auth/get-me.query.ts'
import { listSessions } from '#server/auth/list-sessions.query.ts'
import { unwrap } from '#server/auth/refusal-of.ts'
import { setPassword, stepUp } from '#server/auth/set-password.ts'
import { guarded, open, router } from '../trpc.ts'

export const sessionsRouter = router({
  me: open('sessions.me')
    .output(meView)
    .query(({ ctx }) => getMe(ctx.services, ctx)),
  list: guarded('session.own')
    .output(sessionView.array())
    .query(({ ctx }) => listSessions(ctx.services, ctx.caller)),
  end: guarded('session.own')
    .input(sessionRef)
    .mutation(async ({ ctx, input }) => unwrap(await endSession(ctx.services, input, ctx.caller))),
  endOthers: guarded('session.own').mutation(async ({ ctx }) => ({
    ended: await endOtherSessions(ctx.services, ctx.caller),
  })),
  stepUp: guarded('session.own')
    .input(stepUpRequest)
    .mutation(async ({ ctx, input }) => unwrap(await stepUp(ctx.services, input, ctx.caller))),
  setPassword: guarded('session.own')
    .input(setPasswordRequest)
    .mutation(async ({ ctx, input }) => unwrap(await setPassword(ctx.services, input, ctx.caller))),
})
