import {
  auditEventView,
  auditGetInput,
  auditHistory,
  auditHistoryInput,
  auditListInput,
  auditPage as auditPageView,
  auditVerification,
} from '#contracts/audit.contract.ts'
import { refuse } from '#domain/kernel/result.ts'
import { operations, read, write } from '#server/gate/operation.ts'
import { auditEvent, auditPage, historyOf } from './page.query.ts'
import { verifyAudit } from './verify-audit.ts'

export const auditOperations = operations('audit', {
  list: read('audit.read', {
    summary: 'Events, newest first',
    rest: 'GET /api/v1/audit',
    input: auditListInput,
    output: auditPageView,
    run: ({ services }, input) => auditPage(services.db, input),
  }),
  get: read('audit.read', {
    summary: 'One event',
    rest: 'GET /api/v1/audit/{event_id}',
    input: auditGetInput,
    output: auditEventView,
    run: async ({ services }, { event_id }) =>
      (await auditEvent(services.db, event_id)) ??
      refuse({ code: 'NOT_FOUND', message: 'There is no such event.' }),
  }),
  history: read('audit.read', {
    summary: 'What happened to one object',
    rest: null,
    input: auditHistoryInput,
    output: auditHistory,
    run: async ({ services }, { resource_type, resource_id }) => ({
      items: await historyOf(services.db, resource_type, resource_id),
    }),
  }),
  verify: write('audit.read', {
    summary: 'Walk the chain and its objects',
    rest: 'POST /api/v1/audit/verify',
    output: auditVerification,
    run: ({ services, caller }) => verifyAudit(services, caller),
  }),
})
