import { ADMIN_KEY } from './control-plane-process.ts'
import type { WireClient, WireRequest } from './wire-clients.ts'

/**
 * What a client sends and what it gets. In an answer `<t>` stands for a time of about now in seconds and `<id>` for the id of a sync; everything else is
 * compared byte by byte, and so are names, order and types of the fields.
 */
export type WireCase = {
  name: string
  at: string
  /** The whole body; an object is sent as compact JSON. */
  body?: string | object
  /** The headers that carry a key; the admin key by default. */
  keys?: keyof typeof KEYS
  status: number
  answer: string
}

export const UNAUTHORIZED = '{"detail":"Unauthorized — invalid or missing X-MEMBRIDGE-ADMIN header"}'

const KEYS = {
  admin: { 'X-MEMBRIDGE-ADMIN': ADMIN_KEY },
  none: {},
  wrong: { 'X-MEMBRIDGE-ADMIN': `${ADMIN_KEY}x` },
  'other kind': { 'X-MEMBRIDGE-AGENT': ADMIN_KEY, Authorization: `Bearer ${ADMIN_KEY}` },
} satisfies Record<string, Record<string, string>>

/** The same address under every wrong key. */
export const refusedCases = (addresses: readonly string[], body: object): WireCase[] =>
  addresses.flatMap((at) =>
    (['none', 'wrong', 'other kind'] as const).map((keys) => ({
      ...{ name: `${at}, key: ${keys}`, at, keys, status: 401, answer: UNAUTHORIZED },
      ...(at.startsWith('POST') || at.startsWith('PATCH') ? { body } : {}),
    })),
  )

function requestOf({ at, body, keys = 'admin' }: WireCase, origin: string, id: string): WireRequest {
  const [method = '', path = ''] = at.split(' ')
  const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' }
  return {
    ...{ method, url: `${origin}${path}` },
    headers: { ...KEYS[keys], ...json, 'X-Request-ID': id },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  }
}

const TIME = /(?<="(?:created_at|last_seen|registered_at|finished_at)":)(\d{10}(?:\.\d{1,3})?)\b/g
const ID = /(?<="(?:job_id|id)":")[0-9a-f]{16}(?=")/g

const comparable = (text: string): string =>
  text
    .replaceAll(TIME, (time) => (Math.abs(Number(time) - Date.now() / 1_000) < 600 ? '<t>' : time))
    .replaceAll(ID, '<id>')

/** Sends the cases one after the other; what came back, beside what should have. */
export async function sendCases(client: WireClient, origin: string, cases: readonly WireCase[]) {
  const answers = await client.send(cases.map((one, n) => requestOf(one, origin, `case ${n}`)))
  const got = cases.map(({ name }, n) => {
    const { status, text, type, id } = answers[n] ?? { status: 0, text: '', type: '', id: '' }
    return { name, status, type, id, answer: comparable(text) }
  })
  const wanted = cases.map(({ name, status, answer }, n) => {
    const type = status === 204 ? null : 'application/json; charset=utf-8'
    return { name, status, type, id: `case ${n}`, answer }
  })
  return { got, wanted, texts: answers.map(({ text }) => text) }
}
