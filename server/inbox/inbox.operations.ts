import { z } from 'zod'
import {
  inboxDays as inboxDaysView,
  inboxEntryDetail,
  inboxFilter,
  inboxPage,
  inboxStats as inboxStatsView,
  submitAnswer,
  submitEntryInput,
} from '#contracts/inbox.contract.ts'
import { suggestionAnswer, suggestionInput } from '#contracts/suggestion.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { getEntry } from './get-entry.query.ts'
import { inboxDays } from './inbox-days.query.ts'
import { inboxStats, listEntries } from './list-entries.query.ts'
import { recordMalformed, submitEntry } from './submit-entry.ts'
import { suggestChange } from './suggest-change.ts'

export const inboxOperations = operations('inbox', {
  submit: write('inbox.submit', {
    summary: 'Submit an Inbox Entry; creates a proposal, a run or a job',
    rest: ['POST /api/v1/inbox', 'POST /api/v1/inbox/submit'],
    bodyLimit: 'large',
    status: 202,
    statusOf: ({ repeated }) => (repeated ? 200 : 202),
    input: submitEntryInput,
    output: submitAnswer,
    recordMisfit: ({ db }, caller, refusal) => recordMalformed(db, caller, refusal),
    run: ({ services, caller }, input) => submitEntry(services, input, caller),
  }),
  suggest: write('note.suggest', {
    summary: 'Suggest a change of a note, as a guest of a zone that takes suggestions',
    rest: 'POST /api/v1/notes/suggestions',
    status: 202,
    input: suggestionInput,
    output: suggestionAnswer,
    run: ({ services, caller }, input) => suggestChange(services, input, caller),
  }),
  list: read('inbox.read', {
    summary: 'List Inbox Entries, newest first',
    rest: 'GET /api/v1/inbox/entries',
    input: inboxFilter,
    output: inboxPage,
    run: ({ services }, input) => listEntries(services, input),
  }),
  get: read('inbox.read', {
    summary: 'Get an Inbox Entry',
    rest: 'GET /api/v1/inbox/entries/{inbox_id}',
    input: z.object({ inbox_id: z.string().regex(PATTERNS.inbox) }).strict(),
    output: inboxEntryDetail,
    run: ({ services }, { inbox_id }) => getEntry(services, inbox_id),
  }),
  stats: read('inbox.read', {
    summary: 'Count pending entries and today’s results',
    rest: 'GET /api/v1/inbox/stats',
    output: inboxStatsView,
    run: ({ services }) => inboxStats(services),
  }),
  days: read('inbox.read', {
    summary: 'What arrived and what was decided on each of the last 30 days',
    rest: 'GET /api/v1/inbox/days',
    output: inboxDaysView,
    run: ({ services }) => inboxDays(services),
  }),
})
