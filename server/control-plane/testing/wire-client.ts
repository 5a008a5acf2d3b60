import { ADMIN_KEY } from './control-plane-process.ts'

export type Sent = { body?: unknown; headers?: Record<string, string> }

/** Sends `POST /path` to the control plane as an admin's client does; what is given stands over its headers, and an empty one is not sent. */
export async function sendTo(url: string, address: string, { body, headers = {} }: Sent = {}) {
  const [method = 'GET', path = ''] = address.split(' ')
  const all = { 'x-membridge-admin': ADMIN_KEY, 'content-type': 'application/json', ...headers }
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, json: JSON.parse(text) }
}
