import {
  auditEventView,
  auditGetInput,
  auditListInput,
  auditVerification,
  auditPage as pageView,
} from '#contracts/audit.contract.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { auditEvent, auditPage } from '#server/audit/page.query.ts'
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
    handle: async ({ services, query }) => ok(await auditPage(services.db, query)),
  }),
  route({
    method: 'get',
    path: '/api/v1/audit/{event_id}',
    policy: { action: 'audit.read' },
    summary: 'One event',
    tag,
    params: auditGetInput,
    response: auditEventView,
    handle: async ({ services, params }) => {
      const event = await auditEvent(services.db, params.event_id)
      return event ? ok(event) : refuse({ code: 'NOT_FOUND', message: 'There is no such event.' })
    },
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
