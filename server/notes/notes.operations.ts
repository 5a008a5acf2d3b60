import {
  excerptInput,
  excerptView,
  leftOutView,
  noteGetInput,
  noteListInput,
  notePage as notePageView,
  noteView as noteViewOut,
} from '#contracts/note.contract.ts'
import {
  noteCompareInput,
  noteComparison,
  noteHistoryInput,
  noteHistoryView,
} from '#contracts/note-history.contract.ts'
import { notePreview, notePreviewInput } from '#contracts/note-preview.contract.ts'
import { noteTreeInput, noteTreeView } from '#contracts/note-tree.contract.ts'
import { refuse } from '#domain/kernel/result.ts'
import { operations, read } from '#server/operations/operation.ts'
import { recordReading } from '#server/zones/record-reading.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'
import { commentsOn, summaryOf } from './annotations.query.ts'
import { getExcerpt, getNote } from './get-note.query.ts'
import { leftOut } from './left-out.query.ts'
import { listNotes } from './list-notes.query.ts'
import { compareNote, noteHistory } from './note-history.query.ts'
import { noteTree } from './note-tree.query.ts'
import { textRenderer } from './render-text.ts'

const missing = refuse({ code: 'NOT_FOUND', message: 'There is no such note.' })

export const noteOperations = operations('notes', {
  list: read('note.read', {
    summary: 'List notes by folder, tag or search; guests see those of their zone',
    rest: 'GET /api/v1/notes',
    input: noteListInput,
    output: notePageView,
    run: async ({ services, caller }, input) =>
      listNotes(services.garden, await zoneScopeOf(services, caller), input),
  }),
  get: read('note.read', {
    summary: 'Get a note by its path, optionally at a revision',
    rest: 'GET /api/v1/notes/view',
    input: noteGetInput,
    output: noteViewOut,
    run: async ({ services, caller }, input) => {
      const scope = await zoneScopeOf(services, caller)
      const note = await getNote(services.garden, scope, input)
      if (!note) return missing
      const { path, revision } = note
      recordReading(services, caller, path)
      const [summary, comments] = await Promise.all([
        summaryOf(services, scope, { path, revision }),
        commentsOn(services, scope, { address: `notes/${path}`, revision }),
      ])
      const reading = note.reading || summary?.reading || comments.some((comment) => comment.reading)
      return { ...note, summary, comments, reading: reading === true }
    },
  }),
  tree: read('note.read', {
    summary: 'List what lies directly inside one or several folders; guests see what their zone shows',
    rest: 'GET /api/v1/notes/tree',
    input: noteTreeInput,
    output: noteTreeView,
    run: async ({ services, caller }, { folder }) =>
      noteTree(services.garden, await zoneScopeOf(services, caller), folder),
  }),
  history: read('note.read', {
    summary: 'List the versions of a note, newest first; guests see those that lay in their zone',
    rest: 'GET /api/v1/notes/history',
    input: noteHistoryInput,
    output: noteHistoryView,
    run: async ({ services, caller }, input) =>
      (await noteHistory(services, await zoneScopeOf(services, caller), input)) ?? missing,
  }),
  compare: read('note.read', {
    summary: 'Compare two versions of a note, as text and rendered',
    rest: 'GET /api/v1/notes/compare',
    input: noteCompareInput,
    output: noteComparison,
    run: async ({ services, caller }, input) => {
      const compared = await compareNote(services, await zoneScopeOf(services, caller), input)
      if (!compared) return missing
      recordReading(services, caller, compared.path)
      return compared
    },
  }),
  preview: read('inbox.submit', {
    summary: 'Render a text as a note at a path would read, before it is proposed',
    rest: null,
    bodyLimit: 'large',
    input: notePreviewInput,
    output: notePreview,
    run: async ({ services }, { path, text }) => {
      const render = await textRenderer(services.garden, null)
      const { tree, reading } = await render(text, path)
      return { content: tree, reading }
    },
  }),
  leftOut: read('settings.read', {
    summary: 'List files that an import or a push skipped, by reason',
    rest: 'GET /api/v1/notes/left-out',
    output: leftOutView,
    run: ({ services }) => leftOut(services.garden),
  }),
  excerpt: read('note.read', {
    summary: 'Get the cited lines of a note with their context',
    rest: 'GET /api/v1/notes/excerpt',
    input: excerptInput,
    output: excerptView,
    run: async ({ services, caller }, input) => {
      const excerpt = await getExcerpt(services.garden, await zoneScopeOf(services, caller), input)
      if (!excerpt) return missing
      recordReading(services, caller, excerpt.path)
      return excerpt
    },
  }),
})
