import type { z } from 'zod'
import { tokenAnswer, tokenRequest } from '#contracts/auth.contract.ts'
import { consentAsked, consentRequest, enteredZone, enterZoneRequest } from '#contracts/zone.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { signOut } from '#server/auth/end-session.ts'
import type { OpenedSession } from '#server/auth/open-session.ts'
import { refreshSession } from '#server/auth/refresh-session.ts'
import { sessionCookie } from '#server/auth/session-cookie.ts'
import { signSession } from '#server/auth/session-token.ts'
import { type ClientInfo, signInWithPassword } from '#server/auth/sign-in.ts'
import type { Services } from '#server/services.ts'
import { giveConsent, termsOf } from '#server/zones/consent.ts'
import { enterZone } from '#server/zones/enter-zone.ts'
import { type Route, route } from './route.ts'

const access = { tag: 'Access' }
const zones = { tag: 'Zones' }

/** The session as a signed token: in the cookie of a browser, or as a program's bearer. */
function signed(services: Services, audience: 'cookie' | 'bearer', session: OpenedSession): Promise<string> {
  const { sid, identity, role, zoneId, expiresAt } = session
  const claims = { sid, sub: identity, role, expiresAt, ...(zoneId ? { zone: zoneId } : {}) }
  return signSession(services.env.BLOOM_SESSION_KEY, audience, claims)
}

async function tokenOf(
  services: Services,
  opened: Result<OpenedSession>,
): Promise<Result<z.infer<typeof tokenAnswer>>> {
  if (!opened.ok) return opened
  const { role, expiresAt } = opened.value
  const access_token = await signed(services, 'bearer', opened.value)
  return ok({ access_token, token_type: 'Bearer', expires_at: expiresAt.toISOString(), role })
}

async function signInProgram(
  services: Services,
  body: z.infer<typeof tokenRequest>,
  client: ClientInfo,
): Promise<Result<OpenedSession>> {
  if (!('zone_code' in body)) return signInWithPassword(services, body, client)
  const entry = { code: body.zone_code, consent_version: body.consent_version }
  const entered = await enterZone(services, entry, client)
  return entered.ok ? ok(entered.value.session) : entered
}

/** How people and programs come in and leave. */
export const signInRoutes: Route[] = [
  route({
    ...access,
    at: 'POST /api/v1/auth/token',
    policy: { open: 'programs sign in here' },
    summary: 'Get a bearer token with credentials or a zone code',
    input: tokenRequest,
    output: tokenAnswer,
    run: async ({ services, address, correlationId }, body) =>
      tokenOf(services, await signInProgram(services, body, { address, via: 'api', correlationId })),
  }),
  route({
    ...access,
    at: 'POST /api/v1/auth/refresh',
    policy: { action: 'session.change' },
    summary: 'Refresh the bearer token; the old one is revoked',
    output: tokenAnswer,
    run: async ({ services, caller }) =>
      tokenOf(services, await refreshSession(services, { ...caller, via: 'api' })),
  }),
  route({
    ...access,
    at: 'POST /api/v1/auth/logout',
    policy: { open: 'leaving is always allowed; without a session there is nothing to end' },
    summary: 'Sign out',
    status: 204,
    output: null,
    run: async ({ services, caller, headers }) => {
      await signOut(services, caller)
      headers.append('set-cookie', sessionCookie(services.env.PUBLIC_URL, '', 0))
      return ok(null)
    },
  }),
  route({
    ...zones,
    at: 'POST /api/v1/zones/enter',
    policy: { open: 'guests come in here', fromConsole: true },
    summary: 'Enter a zone in the browser: code or link token, and consent; sets the session cookie',
    input: enterZoneRequest,
    output: enteredZone,
    run: async ({ services, address, correlationId, headers }, body) => {
      const entered = await enterZone(services, body, { address, via: 'console', correlationId })
      if (!entered.ok) return entered
      const { session, zone } = entered.value
      const seconds = Math.max(1, Math.floor((session.expiresAt.getTime() - Date.now()) / 1000))
      const token = await signed(services, 'cookie', session)
      headers.append('set-cookie', sessionCookie(services.env.PUBLIC_URL, token, seconds))
      return ok(zone)
    },
  }),
  route({
    ...zones,
    at: 'GET /api/v1/zones/terms',
    policy: {
      open: 'a guest whose consent is missing reads here what is asked; others are told that there is nothing',
    },
    summary: 'Get the terms of your zone',
    output: consentAsked,
    run: ({ services, caller }) => termsOf(services, caller),
  }),
  route({
    ...zones,
    at: 'POST /api/v1/zones/consent',
    policy: { open: 'a guest inside accepts newer terms; others are told that there is nothing' },
    summary: 'Accept the terms of your zone',
    input: consentRequest,
    output: consentRequest,
    run: ({ services, caller, address }, body) => giveConsent(services, body, caller, address),
  }),
]
