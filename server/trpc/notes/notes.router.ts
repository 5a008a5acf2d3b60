import {
  excerptInput,
  excerptView,
  noteGetInput,
  noteListInput,
  notePage as notePageView,
  noteView as noteViewOut,
} from '#contracts/note.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { getExcerpt, getNote } from '#server/notes/get-note.query.ts'
import { listNotes } from '#server/notes/list-notes.query.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'
import { guarded, router } from '../trpc.ts'

const missing = () => new Refused('NOT_FOUND', 'There is no such note.')

export const notesRouter = router({
  list: guarded('note.read')
    .input(noteListInput)
    .output(notePageView)
    .query(async ({ ctx, input }) =>
      listNotes(ctx.services.garden, await zoneScopeOf(ctx.services, ctx.caller), input),
    ),
  get: guarded('note.read')
    .input(noteGetInput)
    .output(noteViewOut)
    .query(async ({ ctx, input }) => {
      const note = await getNote(ctx.services.garden, await zoneScopeOf(ctx.services, ctx.caller), input)
      if (!note) throw missing()
      return note
    }),
  excerpt: guarded('note.read')
    .input(excerptInput)
    .output(excerptView)
    .query(async ({ ctx, input }) => {
      const scope = await zoneScopeOf(ctx.services, ctx.caller)
      const excerpt = await getExcerpt(ctx.services.garden, scope, input)
      if (!excerpt) throw missing()
      return excerpt
    }),
})
