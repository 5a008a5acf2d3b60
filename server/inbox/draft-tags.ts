import { isScalar, isSeq, parseDocument, YAMLSeq } from 'yaml'
import type { GardenPath } from '#domain/garden/garden-path.ts'
import { frontmatterLines, toNoteText } from '#domain/garden/note-text.rules.ts'
import { annotationPath } from '#domain/garden/target.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'

type Tags = { add: readonly string[]; remove: readonly string[] }

const changed = (tags: readonly string[], { add, remove }: Tags): string[] => [
  ...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add]),
]

/** The change of one file that adds and removes tags (contract page 01, section 8.1; page 02, section 6.4). */
export async function draftTags(
  { garden, head }: { garden: GitRepository; head: string },
  target: { space: 'notes'; path: GardenPath } | { space: 'artifacts'; artifactId: string },
  tags: Tags,
): Promise<Result<DraftChange>> {
  const path = target.space === 'notes' ? target.path : annotationPath(target.artifactId)
  const file = await garden.read(path, head)
  if (target.space === 'notes') {
    const text = taggedNote(toNoteText(file?.text ?? ''), tags)
    return text === null
      ? refuse({ code: 'DIFF_INVALID', message: 'The frontmatter of the note does not parse.' })
      : ok({ path, diff: { type: 'replace', text } })
  }
  const before = file ? tagsOfAnnotation(file.text) : []
  const annotation = { artifact_id: target.artifactId, tags: changed(before, tags).sort() }
  const text = `${JSON.stringify(annotation, null, 2)}\n`
  return ok({ path, diff: file ? { type: 'replace', text } : { type: 'create', text } })
}

function tagsOfAnnotation(text: string): string[] {
  try {
    const value = JSON.parse(text) as { tags?: unknown }
    return Array.isArray(value.tags) ? value.tags.map(String) : []
  } catch {
    return []
  }
}

/** The note with other `tags` in its frontmatter, the rest of it untouched; null when the frontmatter is not a map. */
export function taggedNote(text: string, tags: Tags): string | null {
  const lines = text.split('\n')
  const count = frontmatterLines(text)
  const body = lines.slice(count).join('\n')
  const document = parseDocument(count === 0 ? '{}' : lines.slice(1, count - 1).join('\n'), {
    logLevel: 'silent',
  })
  const value: unknown = document.toJS()
  if (document.errors.length > 0 || (value !== null && (typeof value !== 'object' || Array.isArray(value))))
    return null
  const node = document.get('tags', true)
  const before = isSeq(node)
    ? (node.toJSON() as unknown[]).map(String)
    : isScalar(node) && typeof node.value === 'string'
      ? node.value.split(/[\s,]+/).filter(Boolean)
      : []
  const list = new YAMLSeq()
  for (const tag of changed(before, tags)) list.add(document.createNode(tag))
  list.flow = !isSeq(node) || node.flow === true
  if (count === 0)
    return `---\ntags: [${changed([], tags)
      .map((t) => JSON.stringify(t))
      .join(', ')}]\n---\n${body}`
  document.set('tags', list)
  return `---\n${document.toString({ lineWidth: 0 })}---\n${body}`
}
