import { z } from 'zod'

/** One level of the folder tree of the notes. Folders that hold nothing the caller may see do not exist for the caller. */
export const noteTreeInput = z
  .object({
    /** A folder's path without a final slash; empty or left out, the garden itself. */
    folder: z.string().max(1_024).default(''),
  })
  .strict()

export const noteTreeView = z.object({
  revision: z.string(),
  /** `notes` counts those of subfolders, too. */
  folders: z.array(z.object({ path: z.string(), name: z.string(), notes: z.number() })),
  notes: z.array(z.object({ path: z.string(), title: z.string() })),
  /** Notes of this folder beyond the ones named here. */
  more: z.number(),
  /** True while some notes are still being parsed. Ask again. */
  reading: z.boolean(),
})
export type NoteTree = z.infer<typeof noteTreeView>
