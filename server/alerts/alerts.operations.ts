import { z } from 'zod'
import {
  acknowledgeRequest,
  alertChannels,
  alertDetail,
  alertListRequest,
  alertPage,
  alertRef,
  alertView,
} from '#contracts/alert.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { acknowledgeAlert } from './acknowledge-alert.ts'
import { getAlert } from './get-alert.query.ts'
import { getChannels } from './get-channels.query.ts'
import { listAlerts } from './list-alerts.query.ts'
import { sendTest } from './send-test.ts'

export const alertOperations = operations('alerts', {
  list: read('alert.read', {
    summary: 'List alerts, newest first: open, closed or all',
    rest: 'GET /api/v1/alerts',
    input: alertListRequest,
    output: alertPage,
    run: ({ services }, input) => listAlerts(services, input),
  }),
  get: read('alert.read', {
    summary: 'Get an alert with its notifications',
    rest: 'GET /api/v1/alerts/{alert_id}',
    input: alertRef,
    output: alertDetail,
    run: ({ services }, input) => getAlert(services, input),
  }),
  acknowledge: write('alert.acknowledge', {
    summary: 'Acknowledge an open alert, with a note',
    rest: 'POST /api/v1/alerts/{alert_id}/acknowledge',
    input: acknowledgeRequest,
    output: alertView,
    run: ({ services, caller }, input) => acknowledgeAlert(services, input, caller),
  }),
  channels: read('alert.read', {
    summary: 'List notification channels with their latest delivery',
    rest: 'GET /api/v1/alert-channels',
    output: alertChannels,
    run: ({ services }) => getChannels(services),
  }),
  sendTest: write('alert.test', {
    summary: 'Send a test notification over every channel',
    rest: 'POST /api/v1/alert-channels/test',
    status: 202,
    output: z.object({ requested: z.number().int() }).strict(),
    run: ({ services, caller }) => sendTest(services, caller),
  }),
})
