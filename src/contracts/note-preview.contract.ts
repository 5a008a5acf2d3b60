import { z } from 'zod'
import { MAX_NOTE_BYTES } from '#domain/garden/note-text.rules.ts'

/** A text that is still being written, as a note at this path would read. */
export const notePreviewInput = z
  .object({
    /** Where it is going to stand, for its relative links; empty while nobody has said. */
    path: z.string().max(1_024).default(''),
    text: z.string().max(MAX_NOTE_BYTES),
  })
  .strict()
export type NotePreviewInput = z.infer<typeof notePreviewInput>

export const notePreview = z.object({
  /** A sanitized hast root; links lead to notes as they are now. */
  content: z.unknown(),
  /** True while the content is the text as it is written, for a moment. Ask again. */
  reading: z.boolean(),
})
