import { z } from 'zod'
import { setPasswordRequest, stepUpRequest } from '#contracts/auth.contract.ts'
import { meView, sessionRef, sessionView } from '#contracts/session.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { endOtherSessions, endSession } from './end-session.ts'
import { getMe } from './get-me.query.ts'
import { listSessions } from './list-sessions.query.ts'
import { setPassword, stepUp } from './set-password.ts'

const own = {
  me: read('open', {
    summary: 'Get the current session',
    rest: 'GET /api/v1/auth/me',
    output: meView,
    run: (ctx) => getMe(ctx.services, ctx),
  }),
  list: read('session.own', {
    summary: 'List the sessions of your account',
    rest: 'GET /api/v1/sessions',
    output: sessionView.array(),
    run: ({ services, caller }) => listSessions(services, caller),
  }),
  end: write('session.change', {
    summary: 'End a session of your account',
    rest: 'DELETE /api/v1/sessions/{session}',
    input: sessionRef,
    output: z.object({ ended: z.boolean() }).strict(),
    run: ({ services, caller }, input) => endSession(services, input, caller),
  }),
  endOthers: write('session.change', {
    summary: 'End all other sessions of your account',
    rest: 'POST /api/v1/auth/logout-others',
    output: z.object({ ended: z.number().int() }).strict(),
    run: async ({ services, caller }) => ({ ended: await endOtherSessions(services, caller) }),
  }),
  stepUp: write('session.change', {
    summary: 'Confirm your password; valid for five minutes',
    rest: 'POST /api/v1/auth/step-up',
    input: stepUpRequest,
    output: z.object({ seconds: z.number().int() }).strict(),
    // An attempt is counted, and seen by parallel ones, before the password is compared.
    transaction: 'own',
    run: ({ services, caller }, input) => stepUp(services, input, caller),
  }),
  setPassword: write('session.change', {
    summary: 'Set or change your password',
    rest: 'POST /api/v1/auth/password',
    input: setPasswordRequest,
    output: z.object({ ended_sessions: z.number().int() }).strict(),
    // An attempt is counted, and seen by parallel ones, before the password is compared.
    transaction: 'own',
    run: ({ services, caller }, input) => setPassword(services, input, caller),
  }),
}

export const sessionOperations = operations('sessions', own, 'Access')
