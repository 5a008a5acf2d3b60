import { isScalar, isSeq, parseDocument, YAMLSeq } from 'yaml'
import { frontmatterFault } from '#domain/garden/frontmatter-measure.rules.ts'
import { frontmatterLines, toNoteText } from '#domain/garden/note-text.rules.ts'
import { bareTag } from '#domain/garden/tag.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Diff } from '#domain/proposal/conflict.rules.ts'
import { annotationText, artifactOfAnnotation, parseAnnotation } from './artifact-annotation.ts'

/** Tags that are added and taken away; a change of a set, so it may be made over whatever the file has become. */
export type TagChange = {
  add: readonly string[]
  remove: readonly string[]
  /** Stands beside each tag that is added to an artifact. */
  stamp?: { by: string; at: string; proposal_id: string }
}

const changed = (tags: readonly string[], { add, remove }: TagChange): string[] => [
  ...new Set([...tags.filter((tag) => !remove.map(bareTag).includes(bareTag(tag))), ...add]),
]

/**
 * The file with other tags: a note in its frontmatter, an artifact's annotation as JSON. `text` is
 * null when the file is not there yet; the answer is null when the note's frontmatter does not parse or passes a budget.
 */
export function taggedText(path: string, text: string | null, tags: TagChange): string | null {
  const artifact = artifactOfAnnotation(path)
  if (artifact === null) return taggedNote(toNoteText(text ?? ''), tags)
  const kept = parseAnnotation(text).filter(({ tag }) => !tags.remove.includes(tag))
  const known = new Set(kept.map(({ tag }) => tag))
  const { by = null, at = null, proposal_id = null } = tags.stamp ?? {}
  const added = [...new Set(tags.add)].filter((tag) => !known.has(tag))
  return annotationText(artifact, [...kept, ...added.map((tag) => ({ tag, by, at, proposal_id }))])
}

/** The same as a change of the file; 422 `DIFF_INVALID` where `taggedText` has no answer. */
export function tagDiff(path: string, current: string | null, tags: TagChange): Result<Diff> {
  const text = taggedText(path, current, tags)
  if (text === null)
    return refuse({ code: 'DIFF_INVALID', message: 'The frontmatter of the note does not parse.' })
  return ok(current === null ? { type: 'create', text } : { type: 'replace', text })
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
