import { z } from 'zod'
import { LEFT_OUT_REASONS } from '#domain/garden/left-out.rules.ts'
import { tagName } from './tag.contract.ts'

/**
 * Notes of the garden as pages show them. Every answer names the commit it was read at (`revision`); a guest's answers hold
 * only what lies in the zone, and a note outside it is the same 404 as one that does not exist.
 */
const gardenPath = z.string().min(1).max(1_024)
const revision = z.string().regex(/^[0-9a-f]{40}$/)

/** The part of the garden that a caller may see: `null` is all of it. Folders are garden paths without a final slash. */
export type NoteScope = { folders: readonly string[]; tags: readonly string[] } | null

export const noteListInput = z
  .object({
    folder: z.string().max(1_024).optional(),
    tag: tagName.optional(),
    q: z.string().max(500).optional(),
    cursor: z.string().max(1_500).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type NoteListInput = z.infer<typeof noteListInput>

/** A place that answers a search, with the text around it. */
export const noteHit = z.object({
  /** The lines of the passage. */
  from: z.number(),
  to: z.number(),
  /** The line of the first word that was found. */
  line: z.number(),
  /** As it is written in the file. */
  excerpt: z.string(),
  /** The words that were found, `[from, to)` in characters of the excerpt. */
  marks: z.array(z.tuple([z.number(), z.number()])),
  score: z.number(),
})
export type NoteHit = z.infer<typeof noteHit>

export const noteRow = z.object({
  path: z.string(),
  title: z.string(),
  folder: z.string(),
  tags: z.array(z.string()),
  bytes: z.number(),
  /** The place that answers `q` best; null without a search. */
  hit: noteHit.nullable(),
  /** The next best places of the same note, at most two. */
  other_hits: z.array(noteHit),
})
export type NoteRow = z.infer<typeof noteRow>

/** True for a moment after many notes came: some are not parsed yet, so titles, tags and links of theirs may be missing. Ask again. */
const reading = z.boolean()

export const notePage = z.object({
  revision: z.string(),
  items: z.array(noteRow),
  next_cursor: z.string().nullable(),
  total: z.number(),
  /** Every folder with notes below it, counted with its subfolders; and every tag. */
  folders: z.array(z.object({ path: z.string(), name: z.string(), depth: z.number(), notes: z.number() })),
  tags: z.array(z.object({ tag: z.string(), notes: z.number() })),
  reading,
})
export type NotePage = z.infer<typeof notePage>

export const noteGetInput = z.object({ path: gardenPath, revision: revision.optional() }).strict()
export type NoteGetInput = z.infer<typeof noteGetInput>

export const noteLink = z.object({
  target: z.string(),
  label: z.string(),
  /** The note it leads to; null when the garden has none, or none that the caller may see. */
  path: z.string().nullable(),
  line: z.number(),
})

/** A text that stands beside a note or an artifact, with where it comes from; what somebody pushed by hand does not say. */
export const annotation = z.object({
  path: z.string(),
  /** Null for guests, like the proposal. */
  author: z.string().nullable(),
  at: z.string().nullable(),
  proposal_id: z.string().nullable(),
  /** A sanitized hast root. */
  content: z.unknown(),
  /** True while the content is the text as it is written, for a moment. Ask again. */
  reading: z.boolean(),
})
export type Annotation = z.infer<typeof annotation>

export const noteView = z.object({
  path: z.string(),
  title: z.string(),
  folder: z.string(),
  tags: z.array(z.string()),
  revision: z.string(),
  sha256: z.string(),
  bytes: z.number(),
  lines: z.number(),
  frontmatter: z.record(z.string(), z.unknown()),
  /**
   * A sanitized hast root: no raw HTML, no remote images, links of notes as in-app addresses, a first heading that only repeats the title left out.
   * Blocks have the line of the file that they begin at (`dataLine`).
   */
  content: z.unknown(),
  /** The file's own text. */
  markdown: z.string(),
  headings: z.array(z.object({ depth: z.number(), text: z.string(), id: z.string() })),
  links: z.array(noteLink),
  /** `text`: the line of the first link to this note, without its marks; empty where it is not known. */
  backlinks: z.array(z.object({ path: z.string(), title: z.string(), text: z.string() })),
  /** What proposals put beside the note ([garden#addresses]), as it was at the revision; comments in the order of their time. */
  summary: annotation.nullable(),
  comments: z.array(annotation),
  reading,
})
export type NoteView = z.infer<typeof noteView>

/** What an import or a push gave and the garden does not show, by reason; at most 200 names of each. */
export const leftOutView = z.object({
  revision: z.string(),
  total: z.number(),
  /** How many of them the import's report counts without their names. */
  not_named: z.number(),
  reasons: z.array(
    z.object({ reason: z.enum(LEFT_OUT_REASONS), count: z.number(), paths: z.array(z.string()) }),
  ),
})
export type LeftOutView = z.infer<typeof leftOutView>

export const excerptInput = z
  .object({
    path: gardenPath,
    from: z.coerce.number().int().min(1),
    to: z.coerce.number().int().min(1),
    revision: revision.optional(),
    /** Lines shown before and after. */
    around: z.coerce.number().int().min(0).max(50).default(3),
  })
  .strict()
  .refine((e) => e.to >= e.from && e.to - e.from <= 1_000, 'must be a range of at most 1 000 lines')
export type ExcerptInput = z.infer<typeof excerptInput>

/** The cited place of a citation, opened in place. `changed` says that the garden's present text no longer has it. */
export const excerptView = z.object({
  path: z.string(),
  title: z.string(),
  revision: z.string(),
  current_revision: z.string(),
  from: z.number(),
  to: z.number(),
  total_lines: z.number(),
  lines: z.array(z.object({ n: z.number(), text: z.string(), cited: z.boolean() })),
  changed: z.boolean(),
})
export type ExcerptView = z.infer<typeof excerptView>
