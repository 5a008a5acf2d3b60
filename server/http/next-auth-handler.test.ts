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
