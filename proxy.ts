import { type NextRequest, NextResponse } from 'next/server'
import { isUnderTls, newNonce, PATH_HEADER, SCHEME_HEADER, securityHeaders } from '#server/http/headers.ts'

/**
 * Puts the security headers with a fresh nonce on every page; other answers have theirs from the start (`request-filter.ts`). It decides nothing
 * about access: that is done where the data is read.
 */
export function proxy(request: NextRequest): NextResponse {
  const secure = isUnderTls(request.headers.get(SCHEME_HEADER) ?? undefined)
  const development = process.env.NODE_ENV === 'development'
  const headers = securityHeaders({ nonce: newNonce(), secure, development })
  const inward = new Headers(request.headers)
  // The framework reads the nonce for its own scripts from this header of the request; a client's own is never believed.
  inward.set('Content-Security-Policy', headers['Content-Security-Policy'] as string)
  inward.delete('x-nonce')
  inward.set(PATH_HEADER, pathOf(request.nextUrl))
  const response = NextResponse.next({ request: { headers: inward } })
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** The page with its query; what the framework adds for its own reads is no part of it. */
function pathOf({ pathname, searchParams }: URL): string {
  const query = new URLSearchParams(searchParams)
  query.delete('_rsc')
  return query.size > 0 ? `${pathname}?${query}` : pathname
}

/** Pages: all but what `isMachinePath` calls so, and the build's own immutable files, which the framework serves with their long-lived caching. */
export const config = {
  matcher: ['/((?!_next/static/|api(?:$|/(?!v1/docs$))|lease/|health$|metrics$|messages/[^/]+\\.js$).*)'],
}
