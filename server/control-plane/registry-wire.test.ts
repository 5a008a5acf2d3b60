/** The wire of projects, agents and heartbeats, as clients speak it that share nothing with the server. */
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { ADMIN_KEY, runControlPlane } from './testing/control-plane-process.ts'
import { REGISTRY_CASES, type WireCase } from './testing/registry-cases.ts'
import { isInstalled, WIRE_CLIENTS, type WireRequest } from './testing/wire-clients.ts'

async function freshInstance(): Promise<string> {
  const database = await createTestDatabase()
  const plane = await runControlPlane({ DATABASE_URL: database.controlPlaneUrl })
  onTestFinished(async () => {
    await plane.stop()
    await database.drop()
  })
  return plane.url
}

const KEYS: Record<NonNullable<WireCase['keys']>, Record<string, string>> = {
  admin: { 'X-MEMBRIDGE-ADMIN': ADMIN_KEY },
  none: {},
  wrong: { 'X-MEMBRIDGE-ADMIN': `${ADMIN_KEY}x` },
  'other kind': { 'X-MEMBRIDGE-AGENT': ADMIN_KEY, Authorization: `Bearer ${ADMIN_KEY}` },
}

function requestOf({ at, body, keys = 'admin' }: WireCase, origin: string, id: string): WireRequest {
  const [method = '', path = ''] = at.split(' ')
  const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' }
  return {
    ...{ method, url: `${origin}${path}` },
    headers: { ...KEYS[keys], ...json, 'X-Request-ID': id },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** The answer with `<t>` where a time of about now stands. */
const timeless = (text: string): string =>
  text.replaceAll(/(?<="(?:created_at|last_seen|registered_at)":)(\d{10}(?:\.\d{1,3})?)\b/g, (time) =>
    Math.abs(Number(time) - Date.now() / 1_000) < 600 ? '<t>' : time,
  )

test.for(WIRE_CLIENTS)('$tool gets every status, field and byte', async ({ tool, send }, context) => {
  if (!isInstalled(tool)) context.skip(`${tool} is not installed here`)
  const origin = await freshInstance()
  const answers = send(REGISTRY_CASES.map((one, n) => requestOf(one, origin, `case ${n}`)))
  const got = REGISTRY_CASES.map(({ name }, n) => {
    const { status, text, type, id } = answers[n] ?? { status: 0, text: '', type: '', id: '' }
    return { name, status, type, id, answer: timeless(text) }
  })
  const wanted = REGISTRY_CASES.map(({ name, status, answer }, n) => {
    const type = status === 204 ? null : 'application/json; charset=utf-8'
    return { name, status, type, id: `case ${n}`, answer }
  })
  expect(got).toEqual(wanted)
})
