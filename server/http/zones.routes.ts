import { z } from 'zod'
import {
  consentAsked,
  consentRequest,
  createdZone,
  createZoneRequest,
  enteredZone,
  enterZoneRequest,
  zoneChange,
  zoneListRequest,
  zonePage,
  zoneRef,
  zoneView,
} from '#contracts/zone.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { sessionCookie } from '#server/auth/session-cookie.ts'
import { signSession } from '#server/auth/session-token.ts'
import { changeZone, revokeZone } from '#server/zones/change-zone.ts'
import { giveConsent, termsOf } from '#server/zones/consent.ts'
import { createZone } from '#server/zones/create-zone.ts'
import { enterZone } from '#server/zones/enter-zone.ts'
import { getZone } from '#server/zones/get-zone.query.ts'
import { listZones } from '#server/zones/list-zones.query.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'Zones'
const manage = { action: 'zone.manage' } as const

export const zonesRoutes: AnyRoute[] = [
  route({
    method: 'post',
    path: '/api/v1/zones/enter',
    policy: { open: 'guests come in here', fromConsole: true },
    summary: 'Enter a zone in the browser: code or link token, and consent; sets the session cookie',
    tag,
    body: enterZoneRequest,
    response: enteredZone,
    handle: async ({ services, body, address, correlationId, answer }) => {
      const entered = await enterZone(services, body, { address, via: 'console', correlationId })
      if (!entered.ok) return entered
      const { sid, identity, role, expiresAt, zoneId } = entered.value.session
      const claims = { sid, sub: identity, role, expiresAt, ...(zoneId ? { zone: zoneId } : {}) }
      const token = await signSession(services.env.BLOOM_SESSION_KEY, 'cookie', claims)
      const seconds = Math.max(1, Math.floor((expiresAt.getTime() - Date.now()) / 1000))
      answer.headers.append('set-cookie', sessionCookie(services.env.PUBLIC_URL, token, seconds))
      return ok(entered.value.zone)
    },
  }),
  route({
    method: 'get',
    path: '/api/v1/zones/terms',
    policy: {
      open: 'a guest whose consent is missing reads here what is asked; others are told that there is nothing',
    },
    summary: 'The terms of the own zone',
    tag,
    response: consentAsked,
    handle: ({ services, caller }) => termsOf(services, caller),
  }),
  route({
    method: 'post',
    path: '/api/v1/zones/consent',
    policy: { open: 'a guest inside accepts newer terms; others are told that there is nothing' },
    summary: 'Accept the terms of the own zone',
    tag,
    body: consentRequest,
    response: consentRequest,
    handle: ({ services, caller, body, address }) => giveConsent(services, body, caller, address),
  }),
  route({
    method: 'get',
    path: '/api/v1/zones',
    policy: manage,
    summary: 'Zones, newest first',
    tag,
    query: zoneListRequest,
    response: zonePage,
    handle: async ({ services, query }) => ok(await listZones(services, query)),
  }),
  route({
    method: 'post',
    path: '/api/v1/zones',
    policy: manage,
    summary: 'Open a zone; code, link and QR picture are shown this once',
    tag,
    body: createZoneRequest,
    response: createdZone,
    status: 201,
    handle: ({ services, caller, body }) => createZone(services, body, caller),
  }),
  route({
    method: 'get',
    path: '/api/v1/zones/{zone_id}',
    policy: manage,
    summary: 'One zone',
    tag,
    params: zoneRef,
    response: zoneView,
    handle: ({ services, params }) => getZone(services, params),
  }),
  route({
    method: 'patch',
    path: '/api/v1/zones/{zone_id}',
    policy: manage,
    summary: 'Another end, or other terms',
    tag,
    params: zoneRef,
    body: zoneChange,
    response: zoneView,
    handle: ({ services, caller, params, body }) => changeZone(services, { ...params, ...body }, caller),
  }),
  route({
    method: 'post',
    path: '/api/v1/zones/{zone_id}/revoke',
    policy: manage,
    summary: 'Close the zone for ever, at once',
    tag,
    params: zoneRef,
    body: z.object({}).strict(),
    response: zoneView,
    handle: ({ services, caller, params }) => revokeZone(services, params.zone_id, caller),
  }),
]
