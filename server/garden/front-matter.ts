/**
 * What a note states of itself above its text: tags and a title, read without a Markdown parser. A front matter within its budget is small
 * enough to be read at once by the process that serves ([garden#budgets]); one beyond it states nothing, nor does one that does not parse.
 *
 * What is read here is a part of what the parser reads: no tag is stated that the parsed note lacks, so a zone of tags may go by it before the
 * note is parsed.
 */
import { parseDocument } from 'yaml'
import { frontmatterFault } from '#domain/garden/frontmatter-measure.rules.ts'
import { NOTE_BUDGET } from '#domain/garden/note-budget.rules.ts'
import { withoutByteOrderMark } from '#domain/garden/note-text.rules.ts'
import { bareTag, isTag } from '#domain/garden/tag.rules.ts'
import { frontmatterOf } from './file-fault.ts'

export type FrontMatter = Record<string, unknown>

/** A front matter within its budget and both its fences end before this character. */
const WITHIN = NOTE_BUDGET.frontmatter_bytes + 100

/** The values of a note's front matter; empty where there is none that can be read. */
export function frontMatter(text: string): FrontMatter {
  if (!withoutByteOrderMark(text).startsWith('---')) return {}
  const yaml = frontmatterOf(text.length > WITHIN ? wholeLines(text.slice(0, WITHIN)) : text)
  return yaml === null || frontmatterFault(yaml) ? {} : valuesOf(yaml)
}

/** A line that is cut could be taken for the fence that it is not. */
const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1)

function valuesOf(yaml: string): FrontMatter {
  try {
    const document = parseDocument(yaml, { logLevel: 'silent', prettyErrors: false })
    const value: unknown = document.errors.length > 0 ? null : document.toJS({ maxAliasCount: 20 })
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as FrontMatter) : {}
  } catch {
    return {}
  }
}

/** The title that a front matter states, or null. */
export const statedTitle = ({ title }: FrontMatter): string | null =>
  (typeof title === 'string' && title.trim()) || null

/** The tags that a front matter states, and others with them, in order and once each; what is no tag is left out. */
export function tagsWith({ tags }: FrontMatter, others: readonly string[] = []): string[] {
  const stated = Array.isArray(tags) ? tags.map(String) : typeof tags === 'string' ? tags.split(/[\s,]+/) : []
  return [...new Set([...stated, ...others].map(bareTag).filter(isTag))]
}
