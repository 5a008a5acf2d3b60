import type { Nodes } from 'mdast'
import { toString as plainText } from 'mdast-util-to-string'
import { noteName } from '#domain/garden/garden-path.ts'
import { withoutByteOrderMark } from '#domain/garden/note-text.rules.ts'
import { type FrontMatter, frontMatter, statedTitle, tagsWith } from './front-matter.ts'
import { hasScheme, parseMarkdown, readAddress, readWikiLink, WIKI_LINK, walk } from './markdown.ts'
import { blank, type Heading, type LinkRef, type ParsedNote, type Range } from './parsed-note.ts'

/**
 * Reads frontmatter, title, headings, tags and links of a note.
 *
 * Wiki links are found in the source with code, HTML and frontmatter masked out, since Markdown does not know them; other
 * links come from the parsed tree. A frontmatter that does not parse is an empty one.
 */
const INLINE_TAG = /(?<=^|\s)#([\p{L}\p{N}_][\p{L}\p{N}:_/-]*)/gu
const OPAQUE = new Set(['code', 'inlineCode', 'html', 'yaml'])
const NOT_PROSE = new Set([
  ...OPAQUE,
  'heading',
  'link',
  'linkReference',
  'image',
  'imageReference',
  'definition',
])

/**
 * Reads a note. The path only serves as its name where the text gives none. May take long and much stack: a serving process asks
 * `read-note.ts`.
 */
export function parseNote(path: string, source: string): ParsedNote {
  const text = withoutByteOrderMark(source)
  // The parser counts from behind the mark, the ranges from before it.
  const shift = source.length - text.length
  const nodes = [...walk(parseMarkdown(text))]
  const visible = blank(text, nodes.filter((node) => OPAQUE.has(node.type)).map(rangeOf))
  const wiki = [...visible.matchAll(WIKI_LINK)].filter((match) => text.startsWith(match[0], match.index))
  const lineAt = lineCounter(text)
  const wikiRanges = wiki.map((match): Range => [match.index, match.index + match[0].length])
  const notProse = [...nodes.filter((node) => NOT_PROSE.has(node.type)).map(rangeOf), ...wikiRanges]
  const headings = nodes.flatMap((node): Heading[] =>
    node.type === 'heading' ? [{ depth: node.depth, text: plainText(node), line: lineOf(node) }] : [],
  )
  const frontmatter = frontMatter(text)
  return {
    frontmatter,
    title: titleOf(frontmatter, headings, path),
    headings,
    tags: tagsOf(frontmatter, blank(text, notProse)),
    links: inOrder([...wiki.map((match) => wikiLink(match, lineAt)), ...markdownLinks(nodes, text)]),
    notProse: shift === 0 ? notProse : notProse.map(([from, to]): Range => [from + shift, to + shift]),
    plain: null,
  }
}

const lineOf = (node: Nodes): number => node.position?.start.line ?? 1
const rangeOf = (node: Nodes): Range => [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0]

/** Gives the line of an offset; offsets must be asked for in any order, at the cost of a search among the line ends. */
function lineCounter(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map((match) => match.index)
  return (offset) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

type Placed = { at: number; link: LinkRef }
const inOrder = (links: Placed[]): LinkRef[] => links.sort((a, b) => a.at - b.at).map(({ link }) => link)

function wikiLink(match: RegExpExecArray, lineAt: (offset: number) => number): Placed {
  const { target, anchor, label } = readWikiLink(match)
  const [line, raw] = [lineAt(match.index), match[0]]
  return { at: match.index, link: { kind: 'wiki', target, anchor, label: label ?? target, line, raw } }
}

function markdownLinks(nodes: Nodes[], text: string): Placed[] {
  return nodes.flatMap((node): Placed[] => {
    if (node.type !== 'link' && node.type !== 'definition') return []
    if (node.url === '' || hasScheme(node.url) || node.url.startsWith('#')) return []
    const label = node.type === 'link' ? plainText(node) : (node.label ?? '')
    const [line, [at, end]] = [lineOf(node), rangeOf(node)]
    const link = { ...readAddress(node.url), label, line, raw: text.slice(at, end) }
    return [{ at, link: { kind: 'markdown', ...link } }]
  })
}

function titleOf(frontmatter: FrontMatter, headings: Heading[], path: string): string {
  const heading = headings.find(({ depth, text }) => depth === 1 && text.trim() !== '')
  return statedTitle(frontmatter) ?? heading?.text.trim() ?? noteName(path)
}

function tagsOf(frontmatter: FrontMatter, prose: string): string[] {
  const inline = [...prose.matchAll(INLINE_TAG)].map((match) => match[1] ?? '')
  return tagsWith(
    frontmatter,
    inline.filter((tag) => !/^\d+$/.test(tag)),
  )
}
