import { isScalar, isSeq, parseDocument, YAMLSeq } from 'yaml'
import { frontmatterFault } from '#domain/garden/frontmatter-measure.rules.ts'
import { frontmatterLines, toNoteText } from '#domain/garden/note-text.rules.ts'

/** Tags that are added and taken away; a change of a set, so it may be made over whatever the file has become. */
export type TagChange = { add: readonly string[]; remove: readonly string[] }

const changed = (tags: readonly string[], { add, remove }: TagChange): string[] => [
  ...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add]),
]
const ANNOTATION = /^_bloom\/annotations\/artifacts\/([^/]+)\/tags\.json$/

/**
 * The file with other tags: a note in its frontmatter, an artifact's annotation as JSON. `text` is
 * null when the file is not there yet; the answer is null when the note's frontmatter does not parse or passes a budget.
 */
export function taggedText(path: string, text: string | null, tags: TagChange): string | null {
  const artifact = ANNOTATION.exec(path)?.[1]
  if (artifact === undefined) return taggedNote(toNoteText(text ?? ''), tags)
  const annotation = { artifact_id: artifact, tags: changed(tagsOfAnnotation(text), tags).sort() }
  return `${JSON.stringify(annotation, null, 2)}\n`
}

function tagsOfAnnotation(text: string | null): string[] {
  try {
    const value = JSON.parse(text ?? '{}') as { tags?: unknown }
    return Array.isArray(value.tags) ? value.tags.map(String) : []
  } catch {
    return []
  }
}

/** The note with other `tags` in its frontmatter, the rest of it untouched; null when the frontmatter is not a map. */
function taggedNote(text: string, tags: TagChange): string | null {
  const lines = text.split('\n')
  const count = frontmatterLines(text)
  const body = lines.slice(count).join('\n')
  const yaml = count === 0 ? '{}' : lines.slice(1, count - 1).join('\n')
  if (frontmatterFault(yaml)) return null
  const document = parseDocument(yaml, { logLevel: 'silent', prettyErrors: false })
  const value = plainOf(document)
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

/** What the YAML says; aliases that lead nowhere or grow without end count as a fault. */
function plainOf(document: { toJS(): unknown }): unknown {
  try {
    return document.toJS()
  } catch {
    return []
  }
}
