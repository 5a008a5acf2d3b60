import type { ZonePreview, ZonePreviewRequest } from '#contracts/zone.contract.ts'
import { foldTag } from '#domain/garden/tag.rules.ts'
import { inFolder, noteInScope } from '#domain/zone/zone-scope.rules.ts'
import type { Services } from '#server/services.ts'
import { visibleGarden } from './visible-notes.ts'

/** What guests of a zone with this scope would see now, and which of its folders and tags no note has. */
export async function previewZone(
  { garden }: Pick<Services, 'garden'>,
  scope: ZonePreviewRequest,
): Promise<ZonePreview> {
  const { notes, reading } = await visibleGarden(garden, null)
  const tags = new Set(notes.flatMap((note) => note.tags.map(foldTag)))
  return {
    notes: notes.filter(({ path, tags }) => noteInScope(scope, path, tags)).length,
    unknown_folders: scope.folders.filter((folder) => !notes.some(({ path }) => inFolder(path, folder))),
    unknown_tags: scope.tags.filter((tag) => !tags.has(foldTag(tag))),
    reading,
  }
}
