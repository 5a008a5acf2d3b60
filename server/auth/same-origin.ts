import type { Refusal } from '#domain/kernel/errors.ts'
import type { RequestFacts } from './request-facts.ts'

export const FOREIGN: Refusal = { code: 'FORBIDDEN', message: 'This request did not come from the console.' }

export const CONSOLE_HEADER = 'x-garden'

type Origins = { PUBLIC_URL: string; ALLOWED_ORIGINS: readonly string[] }

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/**
 * The CSRF rule for requests that a cookie authenticates [auth#cross-site-requests]: a change needs the console's own
 * header and an origin of ours; a missing or null origin is refused. A read may come from the address bar or our own pages.
 * Pages of the listed origins may do what ours may.
 */
export function foreignOrigin(facts: RequestFacts, env: Origins): Refusal | null {
  const site = facts.headers.get('sec-fetch-site')
  const listed = env.ALLOWED_ORIGINS.includes(facts.headers.get('origin') ?? '')
  if (isRead(facts.method))
    return listed || site === null || site === 'same-origin' || site === 'none' ? null : FOREIGN
  if (facts.headers.get(CONSOLE_HEADER) === null) return FOREIGN
  return listed || fromOurPage(facts, env.PUBLIC_URL) ? null : FOREIGN
}

/** True when the browser says that one of our own pages sent it. */
export function fromOurPage(facts: RequestFacts, publicUrl: string): boolean {
  const site = facts.headers.get('sec-fetch-site')
  const origin = facts.headers.get('origin')
  if (site !== null && site !== 'same-origin') return false
  if (origin === null) return false
  return origin === new URL(publicUrl).origin || hostOf(origin) === facts.host
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host
  } catch {
    return null
  }
}
