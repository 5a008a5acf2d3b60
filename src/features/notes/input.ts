import type { NoteListInput } from '#contracts/note.contract.ts'
import { bareTag, isTag } from '#domain/garden/tag.rules.ts'

export const NOTE_FILTERS = ['q', 'folder', 'tag'] as const

/** The list's input from the URL; the server and the browser build it alike. */
export function notesInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Omit<NoteListInput, 'limit'> {
  const { q, folder, tag } = values
  return {
    ...(q ? { q: q.slice(0, 500) } : {}),
    ...(folder ? { folder: folder.slice(0, 1_024) } : {}),
    ...(tag && isTag(bareTag(tag)) ? { tag } : {}),
  }
}

/** Where a note can be read: its path with every part encoded. */
export const noteHref = (path: string): string =>
  `/notes/${path.split('/').map(encodeURIComponent).join('/')}`

/** A place of a note as a citation names it, or null when the address holds none. */
export function citedPlace(
  given: Readonly<Record<string, string | undefined>>,
): { from: number; to: number } | null {
  const [from, to] = [Number(given.from), Number(given.to)]
  return Number.isInteger(from) && Number.isInteger(to) && from >= 1 && to >= from && to - from <= 1_000
    ? { from, to }
    : null
}
