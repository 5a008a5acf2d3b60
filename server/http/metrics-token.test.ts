import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PEER_HEADER } from '#server/auth/request-facts.ts'
import { createZone } from '#server/zones/create-zone.ts'
import { OF_THIS_MACHINE, type TestGateway, testGateway } from './testing/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway?.close())

const statusOf = async (headers: Record<string, string>, path = '/metrics') =>
  (await gateway.app.request(path, { headers })).status
const bearer = (token: string) => ({ ...OF_THIS_MACHINE, authorization: `Bearer ${token}` })

async function guest(): Promise<Record<string, string>> {
  const owner = { role: 'owner', identity: 'owner', via: 'console' } as const
  const zone = { name: 'Z', description: '', folders: ['a'], tags: [], minutes: 60 }
  const made = await createZone(gateway.services, zone, owner)
  if (!made.ok) throw new Error('no zone')
  const { zone_id: zoneId, expires_at } = made.value.zone
  const entered = { zoneId, expiresAt: new Date(expires_at), consentVersion: 1 }
  return gateway.bearer(await gateway.open({ role: 'guest', identity: `zone:${zoneId}`, zone: entered }))
}

describe('/metrics', () => {
  it('is read under METRICS_TOKEN alone, as Prometheus text', async () => {
    const { METRICS_TOKEN } = gateway.services.env
    const answer = await gateway.app.request('/metrics', { headers: bearer(METRICS_TOKEN) })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await answer.text()).toContain('# TYPE garden_jobs gauge')
  })

  it('is read in the sessions of owner and operator, and is not there for guests', async () => {
    const as = async (role: string, identity: string) =>
      statusOf(await gateway.bearer(await gateway.open({ role, identity } as never)))
    expect(await as('owner', 'owner')).toBe(200)
    expect(await as('operator', 'operator:x')).toBe(200)
    expect(await statusOf(await guest())).toBe(404)
  })

  it('is closed to everybody else', async () => {
    const { METRICS_TOKEN } = gateway.services.env
    for (const headers of [{}, bearer(`${METRICS_TOKEN}x`), bearer(METRICS_TOKEN.slice(1)), bearer('x')])
      expect(await statusOf(headers)).toBe(401)
  })

  it('does not take its token over plain HTTP from the network', async () => {
    const { METRICS_TOKEN } = gateway.services.env
    const onTheNetwork = { ...bearer(METRICS_TOKEN), [PEER_HEADER]: '192.0.2.7' }
    const answer = await gateway.app.request('/metrics', { headers: onTheNetwork })
    expect(answer.status).toBe(403)
    expect(await answer.text()).not.toContain('garden_jobs')
    expect(await statusOf({ ...bearer(METRICS_TOKEN), 'x-forwarded-for': '192.0.2.7' })).toBe(403)
  })

  it('takes it over a proxy that ends TLS, and in clear where the owner allows that', async () => {
    const peer = { [PEER_HEADER]: '192.0.2.7' }
    const behind = await testGateway({ env: { TRUSTED_PROXIES: '192.0.2.7' } })
    const allowed = await testGateway({ env: { ALLOW_INSECURE_LAN: '1' } })
    const asked = async ({ app, services }: TestGateway, headers: Record<string, string>) =>
      (
        await app.request('/metrics', {
          headers: { ...bearer(services.env.METRICS_TOKEN), ...peer, ...headers },
        })
      ).status
    try {
      const handedOn = { 'x-forwarded-for': '198.51.100.9' }
      expect(await asked(behind, { ...handedOn, 'x-forwarded-proto': 'https' })).toBe(200)
      expect(await asked(behind, { ...handedOn, 'x-forwarded-proto': 'http' })).toBe(403)
      expect(await asked(allowed, {})).toBe(200)
    } finally {
      await behind.close()
      await allowed.close()
    }
  })

  it('is all that the token opens', async () => {
    const { METRICS_TOKEN } = gateway.services.env
    for (const path of ['/api/v1/system/health', '/api/v1/jobs', '/api/v1/audit/events'])
      expect(await statusOf(bearer(METRICS_TOKEN), path)).toBe(401)
  })
})
