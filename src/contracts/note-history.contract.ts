import { z } from 'zod'
import { VERSION_NAME } from '#domain/garden/note-version.rules.ts'

/**
 * The versions of a note in the repository. A guest's answers hold only versions whose own text lay in the zone, of a note that lies in it
 * now, without who wrote them; a version outside is the same 404 as one that does not exist.
 */
const path = z.string().min(1).max(1_024)
/** A commit, and the commits that have renamed the note since, as the history names the version. */
const version = z.string().regex(VERSION_NAME)

export const noteHistoryInput = z
  .object({
    path,
    /** Where the page before ended. */
    cursor: version.optional(),
    limit: z.coerce.number().int().min(1).max(50).default(20),
  })
  .strict()
export type NoteHistoryInput = z.infer<typeof noteHistoryInput>

export const noteVersion = z.object({
  /** The commit. */
  revision: z.string(),
  /** What `compare` knows it by: the commit, with a dot before each that has renamed the note since. */
  version: z.string(),
  at: z.string(),
  /** Null for guests. */
  author: z.string().nullable(),
  /** The first line of the commit; null for a guest who may not see its proposal. */
  message: z.string().nullable(),
  /** Of those whom the caller may see. */
  proposal_id: z.string().nullable(),
  /** The commit removed the note. */
  removed: z.boolean(),
  /** Where the note stood before this commit, which renamed it; null for a guest whose zone does not show that. */
  renamed_from: z.string().nullable(),
})
export type NoteVersion = z.infer<typeof noteVersion>

/** Newest first. A page may be short, even empty, while `next_cursor` says that older commits have not been looked at. */
export const noteHistoryView = z.object({
  path: z.string(),
  items: z.array(noteVersion),
  next_cursor: z.string().nullable(),
})
export type NoteHistory = z.infer<typeof noteHistoryView>

/** Two versions, or one and nothing before it. */
export const noteCompareInput = z.object({ path, from: version.optional(), to: version }).strict()
export type NoteCompareInput = z.infer<typeof noteCompareInput>

export const noteSide = z.object({
  revision: z.string(),
  /** Null where the note was not there. */
  markdown: z.string().nullable(),
  /** A sanitized hast root; links lead to notes as they are now. */
  content: z.unknown(),
  /** True while the content is the text as it is written, for a moment. Ask again. */
  reading: z.boolean(),
})

export const noteComparison = z.object({ path: z.string(), from: noteSide.nullable(), to: noteSide })
export type NoteComparison = z.infer<typeof noteComparison>
