import {
  excerptInput,
  excerptView,
  noteGetInput,
  noteListInput,
  notePage as notePageView,
  noteView as noteViewOut,
} from '#contracts/note.contract.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { getExcerpt, getNote } from '#server/notes/get-note.query.ts'
import { listNotes } from '#server/notes/list-notes.query.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'
import { type AnyRoute, route } from './route.ts'

const read = { policy: { action: 'note.read' }, tag: 'Notes', method: 'get' } as const
const missing = refuse({ code: 'NOT_FOUND', message: 'There is no such note.' })

export const notesRoutes: AnyRoute[] = [
  route({
    ...read,
    path: '/api/v1/notes',
    summary: 'Notes by folder, tag or search; a guest sees those of the zone',
    query: noteListInput,
    response: notePageView,
    handle: async ({ services, query, caller }) =>
      ok(await listNotes(services.garden, await zoneScopeOf(services, caller), query)),
  }),
  route({
    ...read,
    path: '/api/v1/notes/view',
    summary: 'One note, by its path, also as it was at a revision',
    query: noteGetInput,
    response: noteViewOut,
    handle: async ({ services, query, caller }) => {
      const note = await getNote(services.garden, await zoneScopeOf(services, caller), query)
      return note ? ok(note) : missing
    },
  }),
  route({
    ...read,
    path: '/api/v1/notes/excerpt',
    summary: 'The cited lines of a note with what stands around them',
    query: excerptInput,
    response: excerptView,
    handle: async ({ services, query, caller }) => {
      const excerpt = await getExcerpt(services.garden, await zoneScopeOf(services, caller), query)
      return excerpt ? ok(excerpt) : missing
    },
  }),
]
