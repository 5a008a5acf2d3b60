import { NextRequest, NextResponse } from 'next/server'
import NextAuthModule from 'next-auth'
import { ok, refuse } from '#domain/kernel/result.ts'
import { nextAuthOptions } from '#server/auth/next-auth.ts'
import { factsOf } from '#server/auth/request-facts.ts'
import { FOREIGN, fromOurPage } from '#server/auth/same-origin.ts'
import { cookieName } from '#server/auth/session-cookie.ts'
import { type Gated, pass } from '#server/gate/gate.ts'
import { readJsonBody } from '#server/gate/json-body.ts'
import { isRecord } from '#server/gate/parse-input.ts'
import { NOBODY, visitOf } from '#server/gate/visit.ts'
import type { Services } from '#server/services.ts'
import { refusalResponse } from './answer.ts'

type Handler = (request: Request, context: unknown) => Promise<Response>
const NextAuth = ((NextAuthModule as unknown as { default?: unknown }).default ?? NextAuthModule) as (
  request: Request,
  context: unknown,
  options: unknown,
) => ReturnType<Handler>

/** What of next-auth is reachable; its own pages are not. */
const ACTIONS: Record<string, readonly string[]> = {
  GET: ['csrf', 'session', 'providers'],
  POST: ['callback/password', 'callback/link', 'signout'],
}
/**
 * An attempt to sign in is a change by nobody: the address's own limit refuses a flood of them before an account's attempts are touched. The rest
 * is not counted, so that a flood from an address keeps nobody behind it from seeing the form or from leaving.
 */
const ATTEMPT = { open: 'people sign in here' } as const
const POLICY = { open: 'the form to sign in with, and leaving', uncounted: true } as const

/** next-auth behind the gate: our pages only, a body that is small, refusals in the envelope and in the audit. */
export async function handleNextAuth(
  services: Services,
  request: NextRequest,
  action: string,
): Promise<Response> {
  const known = ACTIONS[request.method]?.includes(action)
  const endpoint = `${request.method} /api/auth/${known ? action : '{action}'}`
  const facts = factsOf(request, endpoint, { trustedProxies: services.env.TRUSTED_PROXIES })
  // Who signs in is nobody yet, whatever session the browser still holds.
  const caller = { ...NOBODY.caller, via: 'console' as const }
  const visit = visitOf(services, { ...NOBODY, caller }, facts)
  let body = new Uint8Array()
  const read = async () => {
    if (!known) return refuse({ code: 'NOT_FOUND', message: 'Not found.' })
    if (request.method === 'POST') {
      if (!fromOurPage(facts, services.env.PUBLIC_URL)) return refuse(FOREIGN)
      const sent = await readJsonBody(request, 'normal', visit.face)
      if (!sent.ok) return sent
      if (!isForm(sent.value.json)) return refuse(NO_FORM)
      body = Uint8Array.from(sent.value.bytes)
    }
    return ok({ value: undefined, fingerprint: () => '' })
  }
  const gated: Gated = {
    kind: 'write',
    policy: attempts(request, action) ? ATTEMPT : POLICY,
    input: null,
    output: null,
    status: 200,
    // Attempts are counted whatever becomes of them.
    transaction: 'own',
    run: () => signIn(services, request, action, body),
  }
  const outcome = await pass(gated, visit, { endpoint: facts.endpoint, read, idempotencyKey: undefined })
  if (!outcome.ok) return refusalResponse(outcome.refusal, visit)
  return outcome.value as Response
}

const attempts = (request: Request, action: string): boolean =>
  request.method === 'POST' && action.startsWith('callback/')

async function signIn(
  services: Services,
  request: NextRequest,
  action: string,
  body: Uint8Array<ArrayBuffer>,
) {
  if (request.method !== 'POST')
    return run(services, new NextRequest(withoutQuery(request), { headers: request.headers }), action)
  const init = { method: 'POST', headers: request.headers, body }
  const answer = await run(services, new NextRequest(withoutQuery(request), init), action)
  return ignored(answer, cookieName(services.env.PUBLIC_URL)) ? refuse(STALE_FORM) : answer
}

const NO_FORM = { code: 'BAD_REQUEST', message: 'Send an object of texts.' } as const

/** next-auth takes every field for a text and fails on any other value. */
const isForm = (sent: unknown): boolean =>
  isRecord(sent) && Object.values(sent).every((value) => typeof value === 'string')

const STALE_FORM = { code: 'FORBIDDEN', message: 'The form is out of date. Load the page again.' } as const

/** What next-auth would read in the query (where to return to) is not the client's to say. */
const withoutQuery = (request: Request): string => request.url.split('?')[0] as string

/** Without its own CSRF token next-auth answers 200 and does nothing; here that is a refusal. */
const ignored = (answer: Response, cookie: string): boolean =>
  answer.status === 200 && !answer.headers.getSetCookie().some((line) => line.startsWith(`${cookie}=`))

async function run(services: Services, request: NextRequest, action: string): Promise<Response> {
  process.env.NEXTAUTH_URL = services.env.PUBLIC_URL
  const context = { params: Promise.resolve({ nextauth: action.split('/') }) }
  const response = await NextAuth(request, context, nextAuthOptions(services))
  const answer = new NextResponse(response.body, response)
  answer.headers.set('cache-control', 'no-store')
  return answer
}
