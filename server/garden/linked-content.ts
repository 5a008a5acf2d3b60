import type { Element, ElementContent, Root, RootContent } from 'hast'
import type { BudgetFault } from '#domain/garden/note-budget.rules.ts'

/**
 * Rendering in two steps: the thread that parses renders a text once, with numbers in place of the notes that its links name; the
 * process then puts in what each reader may follow ([notes#safe-content]). So the tree is shared by all, and the thread knows no garden.
 */
export type ContentLinks = {
  /** The note that a link leads to, or null when there is none that the reader may see. */
  resolve(kind: 'wiki' | 'markdown', target: string): string | null
}
export type NoteContent = {
  tree: Root
  headings: { depth: number; text: string; id: string }[]
}
export type LinkTarget = { kind: 'wiki' | 'markdown'; target: string }
/** A tree whose links to notes name a place in `targets`. */
export type UnlinkedContent = NoteContent & { targets: LinkTarget[] }

/** The address of a note in the console. */
export const noteAddress = (path: string): string =>
  `/notes/${path.split('/').map(encodeURIComponent).join('/')}`

/** Stands in for the garden while a text is rendered: each target is answered with its number. */
export function numberTargets(): ContentLinks & { targets: LinkTarget[] } {
  const targets: LinkTarget[] = []
  const numbers = new Map<string, string>()
  return {
    targets,
    resolve: (kind, target) => {
      const key = `${kind} ${target}`
      const known = numbers.get(key)
      if (known !== undefined) return known
      const number = String(targets.push({ kind, target }) - 1)
      numbers.set(key, number)
      return number
    },
  }
}

const NUMBERED = /^\/notes\/(\d+)(#.*)?$/su

/** The content with the addresses of its notes; a link that leads nowhere for this reader keeps its words, marked. */
export function linkContent(content: UnlinkedContent, links: ContentLinks): NoteContent {
  const paths = content.targets.map(({ kind, target }) => links.resolve(kind, target))
  const linked = <T extends RootContent | ElementContent>(node: T): T => {
    if (node.type !== 'element') return node
    const children = node.children.map(linked)
    return { ...node, ...addressed(node, paths), children }
  }
  return {
    headings: content.headings,
    tree: { ...content.tree, children: content.tree.children.map(linked) },
  }
}

/** Every address inside the garden was answered with a number, so no text can pass for one. */
function addressed({ tagName, properties }: Element, paths: readonly (string | null)[]): Partial<Element> {
  const [, number, anchor = ''] = (tagName === 'a' && NUMBERED.exec(String(properties.href))) || []
  if (number === undefined) return {}
  const path = paths[Number(number)] ?? null
  return path === null
    ? { tagName: 'span', properties: { className: ['broken-link'] } }
    : { properties: { ...properties, href: `${noteAddress(path)}${anchor}` } }
}

/**
 * What is shown of a text that is not rendered: its source, marked for the page to say why, with the budget that it passes, or with `reading`
 * where it only is not there yet.
 */
export const plainContent = (text: string, plain: BudgetFault | 'reading'): NoteContent => ({
  tree: { type: 'root', data: { plain } as Root['data'], children: [{ type: 'text', value: text }] },
  headings: [],
})
