import { z } from 'zod'
import {
  grantListRequest,
  grantRequest,
  grantView,
  leadershipRequest,
  leadershipView,
  selectPrimaryAnswer,
  selectPrimaryRequest,
} from '#contracts/leadership.contract.ts'
import { type Route, route } from '#server/http/route.ts'
import { grantOverride, listGrants } from '#server/membridge/grant-override.ts'
import { promotePrimary } from '#server/membridge/promote-primary.ts'
import { readLeadership } from '#server/membridge/read-leadership.query.ts'

const policy = { key: 'admin' } as const

/** Leadership of a project's nodes, under the admin key, which needs no reason to select ([membridge#selections]); a node asks for its own grants. */
export const LEADERSHIP_ROUTES: readonly Route[] = [
  route({
    ...{ at: 'GET /projects/{cid}/leadership', policy, tag: 'Leadership' },
    summary: 'Read who is primary, from the store itself',
    input: leadershipRequest,
    output: leadershipView,
    run: ({ services }, input) => readLeadership(services, input),
  }),
  route({
    ...{ at: 'POST /projects/{cid}/leadership/select', policy, tag: 'Leadership' },
    summary: 'Select the primary',
    input: selectPrimaryRequest,
    output: selectPrimaryAnswer,
    run: ({ services, caller }, input) => promotePrimary(services, input, caller),
  }),
  route({
    ...{ at: 'POST /projects/{cid}/grants', policy, tag: 'Leadership', status: 201 },
    summary: 'Allow a node an override for a limited time',
    input: grantRequest,
    output: grantView,
    run: ({ services, caller }, input) => grantOverride(services, input, caller),
  }),
  route({
    ...{ at: 'GET /projects/{cid}/grants', policy: { key: 'admin-or-node' }, tag: 'Leadership' },
    summary: 'List the overrides that are allowed now; a node sees its own',
    input: grantListRequest,
    output: z.array(grantView),
    run: ({ services, caller }, input) => listGrants(services, input, caller),
  }),
]
