import { parseDocument } from 'yaml'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { frontmatterOf } from '#server/garden/file-fault.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'

/** The tags in the frontmatter of a note at a revision; none for what is not there or does not parse. */
export async function noteTags(garden: GitRepository, revision: string, path: string): Promise<string[]> {
  const file = await garden.read(path, revision)
  const frontmatter = file ? frontmatterOf(toNoteText(file.text)) : null
  if (frontmatter === null) return []
  const document = parseDocument(frontmatter, { logLevel: 'silent' })
  if (document.errors.length > 0) return []
  const tags = tagsIn(document)
  if (Array.isArray(tags)) return tags.map(String)
  return typeof tags === 'string' ? tags.split(/[\s,]+/).filter(Boolean) : []
}

/** Aliases that lead nowhere or grow without end count as no tags. */
function tagsIn(document: { toJS(): unknown }): unknown {
  try {
    return (document.toJS() as { tags?: unknown } | null)?.tags
  } catch {
    return []
  }
}
