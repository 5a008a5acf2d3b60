import { NextRequest, NextResponse } from 'next/server'
import NextAuthModule from 'next-auth'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Services } from '#server/composition/services.ts'
import { refusalResponse } from '#server/http/answer.ts'
import { BODY_LIMIT, readBytes } from '#server/http/json-body.ts'
import { gateOf } from './gate.ts'
import { nextAuthOptions } from './next-auth.ts'
import { factsOf } from './request-facts.ts'
import { fromOurPage } from './same-origin.ts'
import { cookieName } from './session-cookie.ts'

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

/** next-auth behind the gateway's own rules: our pages only, a body that is small, an address that is counted. */
export async function handleNextAuth(
  services: Services,
  request: NextRequest,
  action: string,
): Promise<Response> {
  const facts = factsOf(request, `${request.method} /api/auth/${action}`, services.env.TRUSTED_PROXIES)
  const refused = async (refusal: Refusal) => {
    const caller = { role: 'anonymous', identity: 'anonymous', via: 'console' } as const
    const { address, endpoint, correlationId } = facts
    await gateOf(services).refusals.record(services, { caller, address, endpoint, refusal })
    return refusalResponse(refusal, correlationId)
  }
  if (!ACTIONS[request.method]?.includes(action)) return refused({ code: 'NOT_FOUND', message: 'Not found.' })
  if (request.method !== 'POST') return run(services, request, action)
  if (!fromOurPage(facts, services.env.PUBLIC_URL)) {
    return refused({ code: 'FORBIDDEN', message: 'This request did not come from the console.' })
  }
  const type = request.headers.get('content-type')?.split(';')[0]
  if (type !== 'application/json') {
    return refused({ code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send application/json.' })
  }
  const body = await readBytes(request, BODY_LIMIT.normal)
  if (!body.ok) return refused(body.refusal)
  const init = { method: 'POST', headers: request.headers, body: body.value as BodyInit }
  const answer = await run(services, new NextRequest(request.url, init), action)
  if (ignored(answer, cookieName(services.env.PUBLIC_URL))) {
    return refused({ code: 'FORBIDDEN', message: 'The form is out of date. Load the page again.' })
  }
  return answer
}

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
