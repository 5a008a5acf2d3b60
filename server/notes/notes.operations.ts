import {
  excerptInput,
  excerptView,
  leftOutView,
  noteGetInput,
  noteListInput,
  notePage as notePageView,
  noteView as noteViewOut,
} from '#contracts/note.contract.ts'
import { refuse } from '#domain/kernel/result.ts'
import { operations, read } from '#server/operations/operation.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'
import { commentsOn, summaryOf } from './annotations.query.ts'
import { getExcerpt, getNote } from './get-note.query.ts'
import { leftOut } from './left-out.query.ts'
import { listNotes } from './list-notes.query.ts'

const missing = refuse({ code: 'NOT_FOUND', message: 'There is no such note.' })

export const noteOperations = operations('notes', {
  list: read('note.read', {
    summary: 'Notes by folder, tag or search; a guest sees those of the zone',
    rest: 'GET /api/v1/notes',
    input: noteListInput,
    output: notePageView,
    run: async ({ services, caller }, input) =>
      listNotes(services.garden, await zoneScopeOf(services, caller), input),
  }),
  get: read('note.read', {
    summary: 'One note, by its path, also as it was at a revision',
    rest: 'GET /api/v1/notes/view',
    input: noteGetInput,
    output: noteViewOut,
    run: async ({ services, caller }, input) => {
      const scope = await zoneScopeOf(services, caller)
      const note = await getNote(services.garden, scope, input)
      if (!note) return missing
      const { path, revision } = note
      const [summary, comments] = await Promise.all([
        summaryOf(services, scope, { path, revision }),
        commentsOn(services, scope, { address: `notes/${path}`, revision }),
      ])
      const reading = note.reading || summary?.reading || comments.some((comment) => comment.reading)
      return { ...note, summary, comments, reading: reading === true }
    },
  }),
  leftOut: read('settings.read', {
    summary: 'What an import or a push gave and the garden does not show, by reason',
    rest: 'GET /api/v1/notes/left-out',
    output: leftOutView,
    run: ({ services }) => leftOut(services.garden),
  }),
  excerpt: read('note.read', {
    summary: 'The cited lines of a note with what stands around them',
    rest: 'GET /api/v1/notes/excerpt',
    input: excerptInput,
    output: excerptView,
    run: async ({ services, caller }, input) =>
      (await getExcerpt(services.garden, await zoneScopeOf(services, caller), input)) ?? missing,
  }),
})
