import { ADMIN_KEY } from './control-plane-process.ts'

export type Sent = { body?: unknown; headers?: Record<string, string> }

/** Sends `POST /path` to the control plane as an admin's client does; what is given stands over its headers. */
export async function sendTo(url: string, address: string, { body, headers = {} }: Sent = {}) {
  const [method = 'GET', path = ''] = address.split(' ')
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'x-membridge-admin': ADMIN_KEY, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, json: JSON.parse(text) }
}
