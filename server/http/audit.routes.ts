import {
  auditEventView,
  auditGetInput,
  auditListInput,
  auditVerification,
  auditPage as pageView,
} from '#contracts/audit.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { getEvent } from '#server/audit/get-event.query.ts'
import { listEvents } from '#server/audit/list-events.query.ts'
import { verifyAudit } from '#server/audit/verify-audit.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'Audit'

export const auditRoutes: AnyRoute[] = [
  route({
    method: 'get',
    path: '/api/v1/audit',
    policy: { action: 'audit.read' },
    summary: 'Events, newest first',
    tag,
    query: auditListInput,
    response: pageView,
    handle: async ({ services, query }) => ok(await listEvents(services, query)),
  }),
  route({
    method: 'get',
    path: '/api/v1/audit/{event_id}',
    policy: { action: 'audit.read' },
    summary: 'One event',
    tag,
    params: auditGetInput,
    response: auditEventView,
    handle: ({ services, params }) => getEvent(services, params),
  }),
  route({
    method: 'post',
    path: '/api/v1/audit/verify',
    policy: { action: 'audit.read' },
    summary: 'Walk the chain and its objects',
    tag,
    response: auditVerification,
    handle: async ({ services, caller }) => ok(await verifyAudit(services, caller)),
  }),
]
