import { describe, expect, test } from 'vitest'
import type { RequestFacts } from '#server/auth/request-facts.ts'
import { foreignOrigin } from '#server/auth/same-origin.ts'
import type { Services } from '#server/services.ts'
import { createApp } from './app.ts'

const LISTED = 'https://notes.example:8443'
const env = { ALLOWED_ORIGINS: [LISTED], PUBLIC_URL: 'https://garden.example' }
const app = createApp(async () => ({ env }) as unknown as Services)
const ask = (method: string, origin: string, more: Record<string, string> = {}) =>
  app.request('/api/v1/proposals/prop_2026-01-01_000000000000/approve', {
    method,
    headers: { origin, ...more },
  })

describe('pages of another origin', () => {
  test('that is listed may ask, and are told so for ten minutes', async () => {
    const answer = await ask('OPTIONS', LISTED, { 'access-control-request-method': 'POST' })
    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': LISTED,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET,POST,PATCH,DELETE',
      'access-control-max-age': '600',
      vary: expect.stringContaining('Origin'),
    })
    const read = await app.request('/api/v1/openapi.json', { headers: { origin: LISTED } })
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, LISTED])
  })

  test.each([
    'https://notes.example',
    'http://notes.example:8443',
    'https://NOTES.example:8443',
    'https://notes.example:8443.evil.example',
    'https://evil.example',
    'null',
  ])('%s, which is not, meet no CORS at all', async (origin) => {
    const answer = await ask('OPTIONS', origin, { 'access-control-request-method': 'POST' })
    expect(answer.status).toBe(405)
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('a request by cookie', () => {
  const facts = (method: string, headers: Record<string, string>) =>
    ({
      method,
      host: 'garden.example',
      headers: new Headers({ 'x-garden': '1', ...headers }),
    }) as RequestFacts
  const isForeign = (method: string, origin: string, site: string) =>
    foreignOrigin(facts(method, { origin, 'sec-fetch-site': site }), env) !== null

  test.each([
    ['GET', LISTED, 'same-site', false],
    ['POST', LISTED, 'same-site', false],
    ['POST', 'https://garden.example', 'same-origin', false],
    ['GET', 'https://evil.example', 'same-site', true],
    ['POST', 'https://evil.example', 'cross-site', true],
    ['POST', 'null', 'cross-site', true],
  ])('%s from %s is taken as one of ours when it is listed', (method, origin, site, foreign) => {
    expect(isForeign(method, origin, site)).toBe(foreign)
  })

  test('of a listed origin still needs the header of the console', () => {
    const plain = {
      method: 'POST',
      host: 'garden.example',
      headers: new Headers({ origin: LISTED }),
    } as RequestFacts
    expect(foreignOrigin(plain, env)).not.toBeNull()
  })
})
