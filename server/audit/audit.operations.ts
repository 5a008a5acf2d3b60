import {
  auditEventView,
  auditGetInput,
  auditHistory,
  auditHistoryInput,
  auditListInput,
  auditPage as auditPageView,
  auditVerification,
} from '#contracts/audit.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { getEvent } from './get-event.query.ts'
import { listEvents, listHistory } from './list-events.query.ts'
import { verifyAudit } from './verify-audit.ts'

export const auditOperations = operations('audit', {
  list: read('audit.read', {
    summary: 'Events, newest first',
    rest: 'GET /api/v1/audit',
    input: auditListInput,
    output: auditPageView,
    run: ({ services }, input) => listEvents(services, input),
  }),
  get: read('audit.read', {
    summary: 'One event',
    rest: 'GET /api/v1/audit/{event_id}',
    input: auditGetInput,
    output: auditEventView,
    run: ({ services }, input) => getEvent(services, input),
  }),
  history: read('audit.read', {
    summary: 'What happened to one object',
    rest: null,
    input: auditHistoryInput,
    output: auditHistory,
    run: ({ services }, input) => listHistory(services, input),
  }),
  verify: write('audit.read', {
    summary: 'Walk the chain and its objects',
    rest: 'POST /api/v1/audit/verify',
    output: auditVerification,
    // Walks the whole chain and its objects.
    transaction: 'own',
    run: ({ services, caller }) => verifyAudit(services, caller),
  }),
})
