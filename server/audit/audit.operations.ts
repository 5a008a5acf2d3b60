import {
  auditEventView,
  auditGetInput,
  auditHistory,
  auditHistoryInput,
  auditKeys,
  auditListInput,
  auditPage as auditPageView,
  auditVerification,
  auditVerifications,
} from '#contracts/audit.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { getEvent } from './get-event.query.ts'
import { getVerification } from './get-verification.query.ts'
import { listEvents, listHistory } from './list-events.query.ts'
import { startVerification } from './start-verification.ts'
import { listKeys } from './trusted-keys.ts'

export const auditOperations = operations('audit', {
  list: read('audit.read', {
    summary: 'List events, newest first',
    rest: 'GET /api/v1/audit',
    input: auditListInput,
    output: auditPageView,
    run: ({ services }, input) => listEvents(services, input),
  }),
  verification: read('audit.read', {
    summary: 'Get the latest verification: progress or findings',
    rest: 'GET /api/v1/audit/verification',
    output: auditVerifications,
    run: ({ services }) => getVerification(services),
  }),
  keys: read('audit.read', {
    summary: 'List the public keys that sign audit heads',
    rest: 'GET /api/v1/audit/keys',
    output: auditKeys,
    run: ({ services }) => listKeys(services),
  }),
  get: read('audit.read', {
    summary: 'Get an event',
    rest: 'GET /api/v1/audit/{event_id}',
    input: auditGetInput,
    output: auditEventView,
    run: ({ services }, input) => getEvent(services, input),
  }),
  history: read('audit.read', {
    summary: 'List the events of an object',
    rest: null,
    input: auditHistoryInput,
    output: auditHistory,
    run: ({ services }, input) => listHistory(services, input),
  }),
  verify: write('audit.read', {
    summary: 'Verify the chain, signed heads and objects; joins a verification in progress',
    rest: 'POST /api/v1/audit/verify',
    status: 202,
    output: auditVerification,
    run: ({ services, caller }) => startVerification(services, caller),
  }),
})
