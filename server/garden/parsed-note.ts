import { noteName } from '#domain/garden/garden-path.ts'
import type { BudgetFault } from '#domain/garden/note-budget.rules.ts'
import { withoutByteOrderMark } from '#domain/garden/note-text.rules.ts'
import { frontMatter, statedTitle, tagsWith } from './front-matter.ts'

/** A note as its reader understands it: frontmatter, title, headings, tags and links, each with its line. */
export type LinkRef = {
  kind: 'wiki' | 'markdown'
  /** The target as written, without anchor, percent signs decoded. */
  target: string
  anchor: string | null
  label: string
  /** From 1. */
  line: number
  /** The whole link as it stands in the source. */
  raw: string
}
export type Heading = { depth: number; text: string; line: number }
export type ParsedNote = {
  frontmatter: Record<string, unknown>
  title: string
  headings: Heading[]
  tags: string[]
  /** Links to other files; addresses with a scheme and bare anchors are not among them. */
  links: LinkRef[]
  /** What is no prose: frontmatter, code, HTML, headings and links, as offsets into the text. */
  notProse: Range[]
  /** The budget that the text passes: it was not parsed, and is plain text with the tags of its front matter and without links. */
  plain: BudgetFault | null
}
export type Range = [from: number, to: number]

const TITLE = /^#[ \t]+(\S.*)$/m
const TITLE_WITHIN = 2_000

/** A note that is not parsed, as plain text: what its front matter states, else its first heading near the top for a title. */
export function plainNote(path: string, text: string, plain: BudgetFault | null): ParsedNote {
  const frontmatter = frontMatter(text)
  const heading = TITLE.exec(withoutByteOrderMark(text).slice(0, TITLE_WITHIN))?.[1]?.trim().slice(0, 200)
  return {
    frontmatter,
    title: statedTitle(frontmatter) ?? (heading || noteName(path)),
    headings: [],
    tags: tagsWith(frontmatter),
    links: [],
    notProse: [[0, text.length]],
    plain,
  }
}

/** The lines of a note with everything that is no prose blanked, so that each character keeps its place. */
export const proseLines = (text: string, { notProse }: Pick<ParsedNote, 'notProse'>): string[] =>
  blank(text, notProse).split('\n')

/** The text with these ranges blanked, lines kept. */
export function blank(text: string, ranges: readonly Range[]): string {
  let out = ''
  let at = 0
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (to <= at) continue
    out += text.slice(at, Math.max(at, from)) + text.slice(Math.max(at, from), to).replace(/[^\n]/g, ' ')
    at = to
  }
  return out + text.slice(at)
}
