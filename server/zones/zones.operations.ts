import {
  changeZoneRequest,
  createdZone,
  createZoneRequest,
  zoneListRequest,
  zonePage,
  zoneRef,
  zoneView,
} from '#contracts/zone.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { changeZone, revokeZone } from './change-zone.ts'
import { createZone } from './create-zone.ts'
import { getZone } from './get-zone.query.ts'
import { listZones } from './list-zones.query.ts'

export const zoneOperations = operations('zones', {
  list: read('zone.manage', {
    summary: 'Zones, newest first',
    rest: 'GET /api/v1/zones',
    input: zoneListRequest,
    output: zonePage,
    run: ({ services }, input) => listZones(services, input),
  }),
  create: write('zone.manage', {
    summary: 'Open a zone; code, link and QR picture are shown this once',
    rest: 'POST /api/v1/zones',
    status: 201,
    input: createZoneRequest,
    output: createdZone,
    run: ({ services, caller }, input) => createZone(services, input, caller),
  }),
  get: read('zone.manage', {
    summary: 'One zone',
    rest: 'GET /api/v1/zones/{zone_id}',
    input: zoneRef,
    output: zoneView,
    run: ({ services }, input) => getZone(services, input),
  }),
  change: write('zone.manage', {
    summary: 'Another end, or other terms',
    rest: 'PATCH /api/v1/zones/{zone_id}',
    input: changeZoneRequest,
    output: zoneView,
    run: ({ services, caller }, input) => changeZone(services, input, caller),
  }),
  revoke: write('zone.manage', {
    summary: 'Close the zone for ever, at once',
    rest: 'POST /api/v1/zones/{zone_id}/revoke',
    input: zoneRef,
    output: zoneView,
    run: ({ services, caller }, { zone_id }) => revokeZone(services, zone_id, caller),
  }),
})
