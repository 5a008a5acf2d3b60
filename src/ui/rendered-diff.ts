import { diffArrays } from 'diff'
import { wordsOf } from './diff-model.ts'

/**
 * Two rendered documents as one, with `ins` and `del` around what changed: blocks that stayed are shown once, of paragraphs, headings, items
 * and cells that changed the words are marked, what has no words (code, rules) is replaced as a whole. Pure, on trees the server sanitised;
 * nothing but `ins` and `del` is added to them.
 */
type Text = { type: 'text'; value: string }
type Element = { type: 'element'; tagName: string; properties?: Record<string, unknown>; children: Node[] }
type Node = Text | Element
export type Tree = { type: 'root'; children: Node[]; data?: unknown }
type Kind = 'insert' | 'delete'

/** Beyond so many changes the search for the least of them is given up: one is replaced by the other. */
const MOST = { blocks: 500, words: 500 }
/** Below this share of words that stayed, single marks would only confuse. */
const LEAST_COMMON = 0.3

/** Hold blocks, not words. */
const CONTAINERS = new Set([
  'ul',
  'ol',
  'dl',
  'blockquote',
  'table',
  'thead',
  'tbody',
  'tr',
  'div',
  'section',
])
/** Can stand nowhere but in their parent, so that a mark goes inside. */
const PARTS = new Set(['li', 'td', 'th', 'dt', 'dd'])
const ROWS = new Set(['ul', 'ol', 'dl', 'table', 'thead', 'tbody', 'tr'])
const WORDY = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', ...PARTS])
const BLOCKS = new Set([...CONTAINERS, 'p', 'pre', 'hr'])

/** `null` for a document that is not there on that side. */
export const renderedDiff = (before: Tree | null, after: Tree | null): Tree => ({
  type: 'root',
  children: diffBlocks(before?.children ?? [], after?.children ?? []),
})

const isBlank = (node: Node): boolean => node.type === 'text' && node.value.trim() === ''

function diffBlocks(before: readonly Node[], after: readonly Node[]): Node[] {
  const [old, next] = [before, after].map((nodes) => nodes.filter((node) => !isBlank(node)))
  return inPairs(old ?? [], next ?? [], {
    key: keyOf,
    most: MOST.blocks,
    replaced: (removed, added) =>
      inPairs(removed, added, { key: tagOf, most: MOST.blocks, same: (was, is) => merged(was, is) }),
  })
}

type Pairing = {
  key: (node: Node) => string
  most: number
  same?: (was: Node, is: Node) => Node[]
  replaced?: (removed: Node[], added: Node[]) => Node[]
}

/** The nodes of both lists in order: what is in one alone is marked, what is in both passes `same`, a run that gave way to another `replaced`. */
function inPairs(before: Node[], after: Node[], { key, most, same, replaced }: Pairing): Node[] {
  const parts = diffArrays(before.map(key), after.map(key), { maxEditLength: most })
  if (!parts) return [...marks(before, 'delete'), ...marks(after, 'insert')]
  const out: Node[] = []
  const [old, next] = [taker(before), taker(after)]
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]
    if (!part) continue
    const { length } = part.value
    const then = parts[i + 1]
    if (part.removed && then?.added && replaced) {
      out.push(...replaced(old(length), next(then.value.length)))
      i++
    } else if (part.removed) out.push(...marks(old(length), 'delete'))
    else if (part.added) out.push(...marks(next(length), 'insert'))
    else {
      const was = old(length)
      out.push(...next(length).flatMap((is, k) => both(was[k], is, same)))
    }
  }
  return out
}

const both = (was: Node | undefined, is: Node, same: Pairing['same']): Node[] =>
  same && was ? same(was, is) : [is]

/** Gives the next so many of a list, from its beginning on. */
function taker<T>(list: readonly T[]): (length: number) => T[] {
  let at = 0
  return (length) => {
    at += length
    return list.slice(at - length, at)
  }
}

const marks = (nodes: readonly Node[], kind: Kind): Node[] => nodes.map((node) => marked(node, kind))

function merged(was: Node, is: Node): Node[] {
  if (was.type === 'element' && is.type === 'element') {
    const holdsBlocks = [was, is].some(({ children }) => children.some((node) => BLOCKS.has(tagOf(node))))
    if (CONTAINERS.has(is.tagName) || (PARTS.has(is.tagName) && holdsBlocks))
      return [{ ...is, children: diffBlocks(was.children, is.children) }]
    if (WORDY.has(is.tagName)) {
      const children = diffWords(was.children, is.children)
      if (children) return [{ ...is, children }]
    }
  }
  return [marked(was, 'delete'), marked(is, 'insert')]
}

function marked(node: Node, kind: Kind): Node {
  if (node.type === 'element' && ROWS.has(node.tagName))
    return {
      ...node,
      children: marks(
        node.children.filter((child) => !isBlank(child)),
        kind,
      ),
    }
  if (node.type === 'element' && PARTS.has(node.tagName))
    return { ...node, children: [wrapped(node.children, kind)] }
  return wrapped([node], kind)
}

const wrapped = (children: Node[], kind: Kind): Element => ({
  type: 'element',
  tagName: kind === 'insert' ? 'ins' : 'del',
  properties: children.some((node) => BLOCKS.has(tagOf(node)) || WORDY.has(tagOf(node)))
    ? { dataBlock: '' }
    : {},
  children,
})

/** A word, a space or a mark, or an element without words, with the elements it stands in, the outermost first. */
type Token = { leaf: Node; within: readonly Element[]; key: string }

function* tokensOf(nodes: readonly Node[], within: readonly Element[] = []): Generator<Token> {
  const where = within
    .map((element) => `${element.tagName} ${String(element.properties?.href ?? '')}`)
    .join('>')
  for (const node of nodes) {
    if (node.type === 'text')
      for (const value of wordsOf(node.value))
        yield { leaf: { type: 'text', value }, within, key: `${where}|${value}` }
    else if (node.children.length > 0) yield* tokensOf(node.children, [...within, node])
    else yield { leaf: node, within, key: `${where}|${keyOf(node)}` }
  }
}

/** The words of both, marked; null where hardly any stayed. */
function diffWords(before: readonly Node[], after: readonly Node[]): Node[] | null {
  const [old, next] = [[...tokensOf(before)], [...tokensOf(after)]]
  const keys = (tokens: readonly Token[]) => tokens.map(({ key }) => key)
  const parts = diffArrays(keys(old), keys(next), { maxEditLength: MOST.words })
  if (!parts) return null
  const kept = parts.reduce((n, part) => n + (part.added || part.removed ? 0 : part.value.length), 0)
  if (kept < LEAST_COMMON * Math.max(old.length, next.length)) return null
  const [was, is] = [taker(old), taker(next)]
  return parts.flatMap(({ value: { length }, added, removed }) => {
    if (removed) return [wrapped(nested(was(length)), 'delete')]
    if (added) return [wrapped(nested(is(length)), 'insert')]
    was(length)
    return nested(is(length))
  })
}

/** Tokens in their elements again; neighbours of one element stay together. */
function nested(tokens: readonly Token[], depth = 0): Node[] {
  const out: Node[] = []
  for (let i = 0; i < tokens.length; ) {
    const around = tokens[i]?.within[depth]
    const from = i
    while (i < tokens.length && tokens[i]?.within[depth] === around) i++
    const run = tokens.slice(from, i)
    if (around) out.push({ ...around, children: nested(run, depth + 1) })
    else out.push(...joined(run.map(({ leaf }) => leaf)))
  }
  return out
}

function joined(leaves: readonly Node[]): Node[] {
  const out: Node[] = []
  for (const leaf of leaves) {
    const last = out.at(-1)
    if (leaf.type === 'text' && last?.type === 'text')
      out[out.length - 1] = { ...last, value: last.value + leaf.value }
    else out.push(leaf)
  }
  return out
}

const tagOf = (node: Node): string => (node.type === 'element' ? node.tagName : '')

const known = new WeakMap<Node, string>()

/** What a node shows and where it leads; an id and a place in the text are no difference. */
function keyOf(node: Node): string {
  if (node.type === 'text') return node.value
  const found = known.get(node)
  if (found !== undefined) return found
  const { id: _, ...properties } = node.properties ?? {}
  const key = JSON.stringify([node.tagName, properties, node.children.map(keyOf)])
  known.set(node, key)
  return key
}
