import {
  changeZoneRequest,
  createdZone,
  createZoneRequest,
  zoneListRequest,
  zonePage,
  zoneRef,
  zoneView,
} from '#contracts/zone.contract.ts'
import { unwrap } from '#server/auth/refusal-of.ts'
import { changeZone, revokeZone } from '#server/zones/change-zone.ts'
import { createZone } from '#server/zones/create-zone.ts'
import { getZone } from '#server/zones/get-zone.query.ts'
import { listZones } from '#server/zones/list-zones.query.ts'
import { guarded, router } from '../trpc.ts'

export const zonesRouter = router({
  list: guarded('zone.manage')
    .input(zoneListRequest)
    .output(zonePage)
    .query(({ ctx, input }) => listZones(ctx.services, input)),
  get: guarded('zone.manage')
    .input(zoneRef)
    .output(zoneView)
    .query(async ({ ctx, input }) => unwrap(await getZone(ctx.services, input))),
  create: guarded('zone.manage')
    .input(createZoneRequest)
    .output(createdZone)
    .mutation(async ({ ctx, input }) => unwrap(await createZone(ctx.services, input, ctx.caller))),
  change: guarded('zone.manage')
    .input(changeZoneRequest)
    .output(zoneView)
    .mutation(async ({ ctx, input }) => unwrap(await changeZone(ctx.services, input, ctx.caller))),
  revoke: guarded('zone.manage')
    .input(zoneRef)
    .output(zoneView)
    .mutation(async ({ ctx, input }) => unwrap(await revokeZone(ctx.services, input.zone_id, ctx.caller))),
})
