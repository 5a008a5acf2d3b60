import { z } from 'zod'
import { MOST_FOLDERS } from '#domain/garden/note-tree.rules.ts'

const folder = z.string().max(1_024)

/** Levels of the folder tree of the notes. Folders that hold nothing the caller may see do not exist for the caller. */
export const noteTreeInput = z
  .object({
    /** One or several folders by their paths without a final slash; empty or left out, the garden itself. */
    folder: z
      .union([folder.transform((one) => [one]), z.array(folder).min(1).max(MOST_FOLDERS)])
      .default(['']),
  })
  .strict()

/** What lies directly inside a folder. */
export const noteLevel = z.object({
  folder: z.string(),
  /** `notes` counts those of subfolders, too. */
  folders: z.array(z.object({ path: z.string(), name: z.string(), notes: z.number() })),
  notes: z.array(z.object({ path: z.string(), title: z.string() })),
  /** Notes beyond the ones named here, with those of folders that are not. */
  more: z.number(),
})
export type NoteLevel = z.infer<typeof noteLevel>

export const noteTreeView = z.object({
  revision: z.string(),
  /** One for each folder that was asked for. */
  levels: z.array(noteLevel),
  /** True while some notes are still being parsed. Ask again. */
  reading: z.boolean(),
})
export type NoteTree = z.infer<typeof noteTreeView>
