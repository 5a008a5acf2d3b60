import {
  changeZoneRequest,
  createdZone,
  createZoneRequest,
  zoneListRequest,
  zonePage,
  zonePreview,
  zonePreviewRequest,
  zoneRef,
  zoneView,
} from '#contracts/zone.contract.ts'
import { readerList, readingListRequest, readingPage } from '#contracts/zone-reading.contract.ts'
import { previewZone } from '#server/notes/preview-zone.query.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { changeZone, revokeZone } from './change-zone.ts'
import { createZone } from './create-zone.ts'
import { getZone } from './get-zone.query.ts'
import { listReaders, listReadings } from './list-readings.query.ts'
import { listZones } from './list-zones.query.ts'

export const zoneOperations = operations('zones', {
  list: read('zone.manage', {
    summary: 'List zones, newest first',
    rest: 'GET /api/v1/zones',
    input: zoneListRequest,
    output: zonePage,
    run: ({ services }, input) => listZones(services, input),
  }),
  create: write('zone.manage', {
    summary: 'Create a zone; code, link and QR code are shown once',
    rest: 'POST /api/v1/zones',
    status: 201,
    input: createZoneRequest,
    output: createdZone,
    run: ({ services, caller }, input) => createZone(services, input, caller),
  }),
  preview: read('zone.manage', {
    summary: 'Count the notes that guests of a scope would see',
    rest: null,
    input: zonePreviewRequest,
    output: zonePreview,
    run: ({ services }, scope) => previewZone(services, scope),
  }),
  get: read('zone.manage', {
    summary: 'Get a zone',
    rest: 'GET /api/v1/zones/{zone_id}',
    input: zoneRef,
    output: zoneView,
    run: ({ services }, input) => getZone(services, input),
  }),
  readings: read('zone.manage', {
    summary: 'List the notes that guests of a zone opened, latest first',
    rest: 'GET /api/v1/zones/{zone_id}/readings',
    input: readingListRequest,
    output: readingPage,
    run: ({ services }, input) => listReadings(services, input),
  }),
  readers: read('zone.manage', {
    summary: 'List the guests of a zone who opened notes',
    rest: 'GET /api/v1/zones/{zone_id}/readers',
    input: zoneRef,
    output: readerList,
    run: ({ services }, input) => listReaders(services, input),
  }),
  change: write('zone.manage', {
    summary: 'Change the expiry or terms of a zone',
    rest: 'PATCH /api/v1/zones/{zone_id}',
    input: changeZoneRequest,
    output: zoneView,
    run: ({ services, caller }, input) => changeZone(services, input, caller),
  }),
  revoke: write('zone.manage', {
    summary: 'Revoke a zone permanently',
    rest: 'POST /api/v1/zones/{zone_id}/revoke',
    input: zoneRef,
    output: zoneView,
    run: ({ services, caller }, { zone_id }) => revokeZone(services, zone_id, caller),
  }),
})
