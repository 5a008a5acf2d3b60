/** What routes of BLOOM Runtime read of a request. */
import { z } from 'zod'
import { LEASE_HEADER } from '#server/runtime/identify-runtime-caller.ts'
import type { Shown } from '#server/runtime/show-lease.ts'
import type { HttpContext } from './route.ts'

/** An address with something else in the place of an id names nothing, so it is not found instead of refused. */
export const isId = (id: string): boolean => z.uuid().safeParse(id).success

export const limitOf = (byDefault: number) => z.coerce.number().int().min(1).max(200).default(byDefault)

/** What the caller shows of a lease: below its prefix, in a header, in the body, or nothing. */
export function shownIn(
  { request, address }: HttpContext,
  body: { lease_id?: string | null | undefined; fence?: number | null | undefined },
): Shown {
  return { token: request.headers.get(LEASE_HEADER), leaseId: body.lease_id, fence: body.fence, address }
}
