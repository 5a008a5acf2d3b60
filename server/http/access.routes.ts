import { z } from 'zod'
import { setPasswordRequest, stepUpRequest, tokenAnswer, tokenRequest } from '#contracts/auth.contract.ts'
import { meView } from '#contracts/session.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { endOtherSessions, signOut } from '#server/auth/end-session.ts'
import { getMe } from '#server/auth/get-me.query.ts'
import type { OpenedSession } from '#server/auth/open-session.ts'
import { refreshSession } from '#server/auth/refresh-session.ts'
import { sessionCookie } from '#server/auth/session-cookie.ts'
import { signSession } from '#server/auth/session-token.ts'
import { setPassword, stepUp } from '#server/auth/set-password.ts'
import { type ClientInfo, signInWithPassword } from '#server/auth/sign-in.ts'
import type { Services } from '#server/composition/services.ts'
import { enterZone } from '#server/zones/enter-zone.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'Access'

async function tokenOf(
  services: Services,
  session: OpenedSession,
): Promise<Result<z.infer<typeof tokenAnswer>>> {
  const { sid, identity, role, zoneId, expiresAt } = session
  const claims = { sid, sub: identity, role, expiresAt, ...(zoneId ? { zone: zoneId } : {}) }
  const access_token = await signSession(services.env.BLOOM_SESSION_KEY, 'bearer', claims)
  return ok({ access_token, token_type: 'Bearer', expires_at: expiresAt.toISOString(), role })
}

async function signInProgram(
  services: Services,
  body: z.infer<typeof tokenRequest>,
  door: ClientInfo,
): Promise<Result<OpenedSession>> {
  if (!('zone_code' in body)) return signInWithPassword(services, body, door)
  const entry = { code: body.zone_code, consent_version: body.consent_version }
  const entered = await enterZone(services, entry, door)
  return entered.ok ? ok(entered.value.session) : entered
}

export const accessRoutes: AnyRoute[] = [
  route({
    method: 'post',
    path: '/api/v1/auth/token',
    policy: { open: 'programs sign in here' },
    summary: 'Sign in a program: credentials or a zone code for a bearer token',
    tag,
    body: tokenRequest,
    response: tokenAnswer,
    handle: async ({ services, body, address, correlationId }) => {
      const session = await signInProgram(services, body, { address, via: 'api', correlationId })
      return session.ok ? tokenOf(services, session.value) : session
    },
  }),
  route({
    method: 'post',
    path: '/api/v1/auth/refresh',
    policy: { action: 'session.own' },
    summary: 'A new bearer token; the old one ends',
    tag,
    response: tokenAnswer,
    handle: async ({ services, caller }) => {
      const session = await refreshSession(services, { ...caller, via: 'api' })
      return session.ok ? tokenOf(services, session.value) : session
    },
  }),
  route({
    method: 'post',
    path: '/api/v1/auth/logout',
    policy: { open: 'leaving is always allowed; without a session there is nothing to end' },
    summary: 'End this session',
    tag,
    response: null,
    status: 204,
    handle: async ({ services, caller, answer }) => {
      await signOut(services, caller)
      answer.headers.append('set-cookie', sessionCookie(services.env.PUBLIC_URL, '', 0))
      return ok(null)
    },
  }),
  route({
    method: 'post',
    path: '/api/v1/auth/logout-others',
    policy: { action: 'session.own' },
    summary: 'End every other session of this account',
    tag,
    response: z.object({ ended: z.number().int() }).strict(),
    handle: async ({ services, caller }) => ok({ ended: await endOtherSessions(services, caller) }),
  }),
  route({
    method: 'post',
    path: '/api/v1/auth/step-up',
    policy: { action: 'session.own' },
    summary: 'Enter the password again; good for five minutes',
    tag,
    body: stepUpRequest,
    response: z.object({ seconds: z.number().int() }).strict(),
    handle: ({ services, caller, body }) => stepUp(services, body, caller),
  }),
  route({
    method: 'post',
    path: '/api/v1/auth/password',
    policy: { action: 'session.own' },
    summary: 'Set or change the own password',
    tag,
    body: setPasswordRequest,
    response: z.object({ ended_sessions: z.number().int() }).strict(),
    handle: ({ services, caller, body }) => setPassword(services, body, caller),
  }),
  route({
    method: 'get',
    path: '/api/v1/auth/me',
    policy: { open: 'says who one is, nobody included' },
    summary: 'Who this session belongs to',
    tag,
    response: meView,
    handle: async ({ services, caller, steppedUp, refusal }) =>
      ok(await getMe(services, { caller, steppedUp, refusal })),
  }),
]
