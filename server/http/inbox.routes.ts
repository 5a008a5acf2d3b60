import { z } from 'zod'
import {
  inboxEntryView,
  inboxFilter,
  inboxPage,
  inboxStats as statsView,
  submitAnswer,
  submitEntryInput,
} from '#contracts/inbox.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { ok } from '#domain/kernel/result.ts'
import { getEntry } from '#server/inbox/get-entry.query.ts'
import { inboxStats, listEntries } from '#server/inbox/list-entries.query.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { type AnyRoute, route } from './route.ts'

const tag = 'Inbox'

const submitAt = (path: string): AnyRoute =>
  route({
    method: 'post',
    path,
    policy: { action: 'inbox.submit' },
    summary: 'Propose a change or start work; becomes a proposal, a run or a job',
    tag,
    body: submitEntryInput,
    limit: 'large',
    response: submitAnswer,
    status: 202,
    handle: async ({ services, body, caller, answer }) => {
      const submitted = await submitEntry(services, body, caller)
      if (submitted.ok && submitted.value.repeated) answer.status = 200
      return submitted
    },
  })

export const inboxRoutes: AnyRoute[] = [
  submitAt('/api/v1/inbox'),
  submitAt('/api/v1/inbox/submit'),
  route({
    method: 'get',
    path: '/api/v1/inbox/entries',
    policy: { action: 'inbox.read' },
    summary: 'Entries, newest first',
    tag,
    query: inboxFilter,
    response: inboxPage,
    handle: async ({ services, query }) => ok(await listEntries(services, query)),
  }),
  route({
    method: 'get',
    path: '/api/v1/inbox/entries/{inbox_id}',
    policy: { action: 'inbox.read' },
    summary: 'One entry',
    tag,
    params: z.object({ inbox_id: z.string().regex(PATTERNS.inbox) }).strict(),
    response: inboxEntryView,
    handle: ({ services, params }) => getEntry(services, params.inbox_id),
  }),
  route({
    method: 'get',
    path: '/api/v1/inbox/stats',
    policy: { action: 'inbox.read' },
    summary: 'Entries that wait, and what became of today’s',
    tag,
    response: statsView,
    handle: async ({ services }) => ok(await inboxStats(services)),
  }),
]
