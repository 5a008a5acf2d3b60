/**
 * The API client of the auth pages. It calls REST and next-auth by plain fetch: there is no session yet, and these pages
 * should load little else.
 */
import { type Fault, toFault } from '#lib/fault.ts'

export type Answer<T> = { ok: true; value: T } | { ok: false; fault: Fault; waitSeconds: number }

const HEADERS = { 'content-type': 'application/json', 'x-garden': '1' }

async function send(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(path, {
    method,
    headers: HEADERS,
    credentials: 'same-origin',
    cache: 'no-store',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** A REST call; a refusal and a missing answer come back as a fault. */
export async function callApi<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer<T>> {
  try {
    const response = await send(method, path, body)
    const value: unknown = response.status === 204 ? null : await response.json()
    if (response.ok) return { ok: true, value: value as T }
    return { ok: false, fault: toFault(value), waitSeconds: Number(response.headers.get('retry-after') ?? 0) }
  } catch (error) {
    return { ok: false, fault: toFault(error), waitSeconds: 0 }
  }
}

/** Signs in by one of next-auth's providers. A refusal comes in the `error` parameter of the URL it answers with: `CODE` or `CODE:seconds`. */
export async function signIn(
  provider: 'password' | 'link',
  fields: Record<string, string>,
): Promise<{ ok: true } | { ok: false; code: string; waitSeconds: number }> {
  try {
    const { csrfToken } = await (await send('GET', '/api/auth/csrf')).json()
    const response = await send('POST', `/api/auth/callback/${provider}`, {
      ...fields,
      csrfToken,
      json: 'true',
    })
    if (response.ok) return { ok: true }
    const answer = await response.json()
    if (typeof answer.url !== 'string') {
      const waitSeconds = Number(response.headers.get('retry-after') ?? 0)
      return { ok: false, code: toFault(answer).code, waitSeconds }
    }
    const error = new URL(answer.url, window.location.href).searchParams.get('error') ?? ''
    const [code = '', wait = '0'] = error.split(':')
    return { ok: false, code, waitSeconds: Number(wait) }
  } catch {
    return { ok: false, code: 'NETWORK', waitSeconds: 0 }
  }
}
