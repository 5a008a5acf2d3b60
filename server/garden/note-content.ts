/**
 * A note as a safe tree for the page ([notes#safe-content]): Markdown is parsed, never its HTML; links that lead to notes
 * become addresses of the console, links outward are marked, images become links, and what is left passes the sanitizer last.
 * Ids carry the prefix `user-content-`, so that no heading can take the place of an element of the page.
 */
import type { Root as HastRoot } from 'hast'
import type { Heading, Image, Link, Parents, PhrasingContent, Root, RootContent, Text } from 'mdast'
import { toString as plainText } from 'mdast-util-to-string'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { frontMatter, statedTitle } from './front-matter.ts'
import { type ContentLinks, type NoteContent, noteAddress } from './linked-content.ts'
import { hasScheme, parseMarkdown, readAddress, readWikiLink, WIKI_LINK, walk } from './markdown.ts'

const PREFIX = 'user-content-'
const REMOTE = /^(?:https?:|mailto:)/i

const renderer = unified()
  .use(remarkRehype)
  .use(rehypeSanitize, {
    ...defaultSchema,
    clobberPrefix: '',
    tagNames: (defaultSchema.tagNames ?? []).filter(
      (tag) => tag !== 'img' && tag !== 'picture' && tag !== 'source',
    ),
    attributes: {
      ...defaultSchema.attributes,
      a: [...(defaultSchema.attributes?.a ?? []), ['className', 'external', 'note-link'], 'rel', 'target'],
      span: [['className', 'broken-link']],
    },
    protocols: { ...defaultSchema.protocols, href: ['http', 'https', 'mailto'] },
  })

/** Renders Markdown; with `title` without a heading that only repeats the title, which stands above the text. */
export function noteContent(markdown: string, links: ContentLinks, title = true): NoteContent {
  const root = parseMarkdown(markdown)
  root.children = root.children.filter((node) => node.type !== 'yaml')
  if (title) dropTitle(root, statedTitle(frontMatter(markdown)))
  const headings = nameHeadings(root)
  rewrite(root, links)
  return { tree: renderer.runSync(root) as HastRoot, headings }
}

/** Blocks that a page does not show. */
const UNSHOWN = new Set<RootContent['type']>(['html', 'definition'])

/** A first heading is the title where none is stated. Further down it is a part of the text, whatever it says. */
function dropTitle(root: Root, stated: string | null): void {
  const at = root.children.findIndex(({ type }) => !UNSHOWN.has(type))
  const first = root.children[at]
  if (first?.type !== 'heading' || first.depth !== 1) return
  if (stated === null || stated === plainText(first).trim()) root.children.splice(at, 1)
}

export const anchorOf = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/gu, '-')

function nameHeadings(root: Root): NoteContent['headings'] {
  const seen = new Map<string, number>()
  return [...walk(root)]
    .filter((node): node is Heading => node.type === 'heading')
    .map((node) => {
      const anchor = anchorOf(plainText(node)) || 'section'
      const times = seen.get(anchor) ?? 0
      seen.set(anchor, times + 1)
      const id = `${PREFIX}${times === 0 ? anchor : `${anchor}-${times}`}`
      node.data = { ...node.data, hProperties: { id } } as typeof node.data
      return { depth: node.depth, text: plainText(node), id }
    })
}

function rewrite(parent: Parents, links: ContentLinks): void {
  parent.children = parent.children.flatMap((child): RootContent[] => {
    if (child.type === 'text') return wikiLinks(child, links)
    if (child.type === 'image') return [imageLink(child)]
    if (child.type === 'imageReference') return [{ type: 'text', value: child.alt ?? '' }]
    if (child.type === 'link') return [markdownLink(child, links)]
    if (child.type === 'definition' && !REMOTE.test(child.url)) child.url = ''
    if ('children' in child) rewrite(child, links)
    return [child]
  }) as typeof parent.children
}

function wikiLinks(text: Text, links: ContentLinks): RootContent[] {
  const out: RootContent[] = []
  let at = 0
  for (const match of text.value.matchAll(WIKI_LINK)) {
    const raw = match[0]
    const { target, anchor, label } = readWikiLink(match)
    if (match.index > at) out.push({ type: 'text', value: text.value.slice(at, match.index) })
    const shown = label ?? (anchor === null ? target : `${target}#${anchor}`)
    out.push(inner(links.resolve('wiki', target), anchor, [{ type: 'text', value: shown || raw }]))
    at = match.index + raw.length
  }
  if (at === 0) return [text]
  if (at < text.value.length) out.push({ type: 'text', value: text.value.slice(at) })
  return out
}

function markdownLink(link: Link, links: ContentLinks): RootContent {
  if (REMOTE.test(link.url)) return outward(link.url, link.children)
  const { target, anchor } = readAddress(link.url)
  if (link.url.startsWith('#')) return { ...link, url: `#${PREFIX}${anchorOf(anchor ?? '')}` }
  if (hasScheme(link.url)) return broken(link.children)
  return inner(links.resolve('markdown', target), anchor, link.children)
}

const imageLink = (image: Image): RootContent => {
  const words: PhrasingContent[] = [{ type: 'text', value: image.alt || image.url }]
  return REMOTE.test(image.url) ? outward(image.url, words) : broken(words)
}

function inner(path: string | null, anchor: string | null, children: PhrasingContent[]): RootContent {
  if (path === null) return broken(children)
  const url = `${noteAddress(path)}${anchor ? `#${PREFIX}${anchorOf(anchor)}` : ''}`
  return { type: 'link', url, children, data: { hProperties: { className: ['note-link'] } } } as Link
}

const outward = (url: string, children: PhrasingContent[]): RootContent =>
  ({
    type: 'link',
    url,
    children,
    data: { hProperties: { className: ['external'], rel: ['noopener', 'noreferrer'], target: '_blank' } },
  }) as Link

/** A link that leads nowhere the reader may go: its words stay, marked. */
const broken = (children: PhrasingContent[]): RootContent =>
  ({
    type: 'emphasis',
    children,
    data: { hName: 'span', hProperties: { className: ['broken-link'] } },
  }) as RootContent
