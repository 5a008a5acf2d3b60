/**
 * Citations in a rendered text: behind each sentence a token goes into the Markdown, and out of the tree comes `<sup data-citation>` in its
 * place. The renderer itself knows nothing of it, so a text with citations is as safe as one without.
 */
import type { ElementContent, Root, RootContent, Text } from 'hast'
import type { MarkedSentence } from '#contracts/artifact.contract.ts'
import { markSentenceEnds } from './sentence-ends.ts'

/** Characters for private use, which no text of a garden needs: one that holds them is shown without citations. */
const [OPEN, CLOSE] = ['\uE000', '\uE001']
const TOKEN = new RegExp(` ?${OPEN}([\\d,-]*)${CLOSE}`, 'u')
const TOKENS = new RegExp(TOKEN, 'gu')
/** Stands for a sentence without a source. */
const NONE = '-'

/** The text with a token behind each sentence; the space before it keeps emphasis that ends with the sentence closed. */
export function citedText(text: string, sentences: readonly MarkedSentence[]): string {
  if (text.includes(OPEN) || text.includes(CLOSE)) return text
  return markSentenceEnds(text, sentences, (marks) => {
    const positions = [...new Set(marks.flat())].sort((a, b) => a - b).map(String)
    const none = marks.some((sources) => sources.length === 0) ? [NONE] : []
    return ` ${OPEN}${[...positions, ...none].join(',')}${CLOSE}`
  })
}

/** The tree with `<sup data-citation="0,2">` for each token: positions among the sources, and `-` for a sentence without one. */
export function markedTree(tree: Root): Root {
  const plain = tree.data && 'plain' in tree.data
  const marked = (node: RootContent): RootContent[] => {
    if (node.type === 'text')
      return plain ? [{ ...node, value: node.value.replace(TOKENS, '') }] : split(node)
    if (node.type !== 'element') return [node]
    const { id } = node.properties
    const properties =
      typeof id === 'string' ? { ...node.properties, id: id.replace(TOKENS, '') } : node.properties
    return [{ ...node, properties, children: node.children.flatMap(marked) as ElementContent[] }]
  }
  return { ...tree, children: tree.children.flatMap(marked) }
}

function split(node: Text): RootContent[] {
  return node.value.split(TOKEN).flatMap((part, n): RootContent[] => {
    if (n % 2 === 0) return part === '' ? [] : [{ ...node, value: part }]
    return [{ type: 'element', tagName: 'sup', properties: { dataCitation: part }, children: [] }]
  })
}
