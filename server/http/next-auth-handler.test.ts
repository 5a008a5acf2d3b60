import { NextRequest } from 'next/server'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { handleNextAuth } from './next-auth-handler.ts'
import { type TestGateway, testGateway } from './testing/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

const ask = (method: string, action: string, headers: Record<string, string> = {}, body?: string) => {
  const url = `${gateway.services.env.PUBLIC_URL}/api/auth/${action}`
  return handleNextAuth(
    gateway.services,
    new NextRequest(url, { method, headers, body: body ?? null }),
    action,
  )
}
const page = () => ({
  'content-type': 'application/json',
  origin: new URL(gateway.services.env.PUBLIC_URL).origin,
  'sec-fetch-site': 'same-origin',
})
const codeOf = async (answer: Response) => (await answer.json()).error?.code

// What gets through needs a request of the framework around it; the journey signs in.
test('what is no sign-in of our own pages is refused, and audited', async () => {
  const body = JSON.stringify({ name: 'owner', password: 'a long enough phrase 42' })
  const to = 'callback/password'
  expect(await codeOf(await ask('GET', 'signin'))).toBe('NOT_FOUND')
  expect(await codeOf(await ask('POST', to, { 'content-type': 'application/json' }, body))).toBe('FORBIDDEN')
  expect(await codeOf(await ask('POST', to, { ...page(), origin: 'https://evil.example' }, body))).toBe(
    'FORBIDDEN',
  )
  expect(await codeOf(await ask('POST', to, { ...page(), 'content-type': 'text/plain' }, body))).toBe(
    'UNSUPPORTED_MEDIA_TYPE',
  )
  expect(await codeOf(await ask('POST', to, page(), ' '.repeat(102_401)))).toBe('PAYLOAD_TOO_LARGE')
  for (const odd of [
    'null',
    '[]',
    '"text"',
    '1',
    '{"csrfToken":{}}',
    '{"callbackUrl":["x"]}',
    '{"json":true}',
  ])
    expect([odd, await codeOf(await ask('POST', to, page(), odd))]).toEqual([odd, 'BAD_REQUEST'])
  const { rows } = await gateway.services.db.query<{ code: string }>(sql`
    SELECT DISTINCT error_code AS code FROM event WHERE name = 'access.refused' AND resource_id = ${`POST /api/auth/${to}`}`)
  expect(rows.map(({ code }) => code).sort()).toEqual(['FORBIDDEN', 'PAYLOAD_TOO_LARGE'])
})

test('the address of a flood is refused before an attempt on any account counts, and still leaves', async () => {
  const limited = await testGateway({ env: { RATE_ANONYMOUS_CHANGES: '4' } })
  try {
    const { services, app } = limited
    const from = (peer: string) => ({ ...page(), 'x-garden-peer': peer })
    const callback = (action: string, peer: string) => {
      const url = `${services.env.PUBLIC_URL}/api/auth/${action}`
      const init = { method: 'POST', headers: from(peer), body: '[]' }
      return handleNextAuth(services, new NextRequest(url, init), action)
    }
    const flood: Response[] = []
    for (let n = 0; n < 6; n++)
      flood.push(await callback(n % 2 ? 'callback/link' : 'callback/password', '10.3.0.1'))
    expect(flood.map(({ status }) => status)).toEqual([400, 400, 400, 400, 429, 429])
    expect(Number(flood.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
    const body = JSON.stringify({ name: 'owner', password: 'wrong' })
    const program = () =>
      app.request('/api/v1/auth/token', { method: 'POST', headers: from('10.3.0.1'), body })
    expect((await program()).status).toBe(429)
    const { rows } = await services.db.query(
      sql`SELECT 1 FROM rate_slice WHERE subject LIKE 'account:%' OR subject LIKE 'sign-in:%'`,
    )
    expect(rows).toEqual([])
    expect((await callback('signout', '10.3.0.1')).status).toBe(400)
    expect((await callback('callback/password', '10.3.0.2')).status).toBe(400)
  } finally {
    await limited.close()
  }
})
