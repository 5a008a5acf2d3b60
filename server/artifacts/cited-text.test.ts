import fc from 'fast-check'
import type { Root } from 'hast'
import { describe, expect, it } from 'vitest'
import { renderedText } from '#server/garden/read-note.ts'
import { sentencesOf } from '#server/retrieval/sentences.ts'
import { citedText, markedTree } from './cited-text.ts'
import { markSentenceEnds } from './sentence-ends.ts'

const numbered = (text: string) => sentencesOf(text).map((sentence, n) => ({ text: sentence, sources: [n] }))
const marked = (text: string) => markSentenceEnds(text, numbered(text), (marks) => `⟨${marks.flat().join()}⟩`)

describe('a mark stands behind its sentence', () => {
  it.each([
    ['two in a line', 'One is. Two is.', 'One is.⟨0⟩ Two is.⟨1⟩'],
    ['a list', '- One\n- Two\n', '- One⟨0⟩\n- Two⟨1⟩\n'],
    ['a row of a table', '| A | B |\n|---|---|\n| c | d |', '| A | B⟨0⟩ |\n|---|---|\n| c | d⟨1⟩ |'],
    ['over two lines', 'One\nis. Two.', 'One\nis.⟨0⟩ Two.⟨1⟩'],
    ['the same twice', 'One. One.', 'One.⟨0⟩ One.⟨1⟩'],
    [
      'not inside a link to a note',
      'See [[7.1. Оренди]] now. Then.',
      'See [[7.1. Оренди]] now.⟨0,1⟩ Then.⟨2⟩',
    ],
    ['not inside the name of a link', 'See [a. B](c.md). Then.', 'See [a. B](c.md).⟨0,1⟩ Then.⟨2⟩'],
    ['not inside code', 'Say `a. B` twice. Then.', 'Say `a. B` twice.⟨0,1⟩ Then.⟨2⟩'],
    ['not inside a fence', 'One.\n\n```\nTwo.\n```\n\nThree.', 'One.⟨0⟩\n\n```\nTwo.\n```\n\nThree.⟨2⟩'],
    ['a bracket that is no link', 'In [1, 2) it is.\n\nThen.', 'In [1, 2) it is.⟨0⟩\n\nThen.⟨1⟩'],
  ])('%s', (_, text, wanted) => {
    expect(marked(text)).toBe(wanted)
  })

  it('and one that the text does not hold has none', () => {
    const sentences = [
      { text: 'Nowhere.', sources: [0] },
      { text: 'One.', sources: [1] },
    ]
    expect(markSentenceEnds('One.', sentences, ([positions]) => `⟨${positions}⟩`)).toBe('One.⟨1⟩')
  })
})

describe('places are found in one reading of the text', () => {
  /** What `isInside` means, said of one place alone. */
  const open = (text: string, at: number) => {
    const before = text.slice(text.lastIndexOf('\n\n', at - 1) + 1, at)
    const count = (char: string) => before.split(char).length - 1
    const target = before.lastIndexOf('](') > before.lastIndexOf(')')
    return target || count('`') % 2 === 1 || count('[') > count(']')
  }
  const PIECES = ['A b. ', 'C. ', '[', ']', '](', ')', '(', '`', '\n', '\n\n', ' x']

  it('as each would be found by itself', () => {
    const texts = fc
      .array(fc.constantFrom(...PIECES), { maxLength: 40 })
      .map((pieces) => pieces.join(''))
      // A fence, which stays open, has a row of its own above.
      .filter((text) => !text.includes('```'))
    fc.assert(
      fc.property(texts, (text) => {
        let from = 0
        const positions = sentencesOf(text).map((sentence) => {
          const start = text.indexOf(sentence, from)
          const over = /\n\s*\n/.test(text.slice(from, start))
          from = start + sentence.length
          return { at: from, over }
        })
        const wanted = positions.flatMap(({ at }, n) =>
          !open(text, at) || (positions[n + 1]?.over ?? true) ? [at] : [],
        )
        let length = 0
        const found = marked(text).split(/⟨[\d,]*⟩/)
        expect(found.slice(0, -1).map((part) => (length += part.length))).toEqual(wanted)
      }),
      { numRuns: 2_000 },
    )
  })

  it('of a long text, open or not, in no more time than it takes to write them', () => {
    for (const start of ['', '[']) {
      const text = start + 'A. B. '.repeat(66_666)
      const began = performance.now()
      const positions = marked(text).split('⟨').length - 1
      expect(positions).toBe(start ? 1 : 133_332)
      expect(performance.now() - began).toBeLessThan(5_000)
    }
  })
})

describe('a rendered text', () => {
  const shown = async (text: string, sources: number[] = [0, 2]) => {
    const sentences = sentencesOf(text).map((sentence) => ({ text: sentence, sources }))
    const { tree } = await renderedText(citedText(text, sentences), { resolve: () => null }, false)
    return markedTree(tree)
  }
  type Shown = {
    value?: string
    tagName?: string
    properties?: { dataCitation?: string }
    children?: Shown[]
  }
  const textOf = ({ value, tagName, properties, children = [] }: Shown): string => {
    if (tagName === 'sup') return `⟨${properties?.dataCitation}⟩`
    const inner = children.map(textOf).join('')
    return tagName === 'strong' ? `*${inner}*` : (value ?? inner)
  }
  const saidBy = (tree: Root) => textOf(tree as unknown as Shown)

  it('has its citations as superscripts, and emphasis stays what it is', async () => {
    expect(saidBy(await shown('**Bold.** Plain.'))).toBe('*Bold.*⟨0,2⟩ Plain.⟨0,2⟩')
    expect(saidBy(await shown('Plain.', []))).toBe('Plain.⟨-⟩')
  })

  it('shows none of their characters: not in the id of a heading, nor where a text is plain', async () => {
    expect(JSON.stringify(await shown('## A heading\n\nPlain.'))).not.toMatch(/[\uE000\uE001]/)
    const plain = {
      type: 'root',
      data: { plain: {} },
      children: [{ type: 'text', value: 'a \uE0000\uE001' }],
    }
    expect(saidBy(markedTree(plain as unknown as Root))).toBe('a')
  })

  it('of a text that holds such characters itself has none', () => {
    const text = 'One \uE000. Two.'
    expect(citedText(text, numbered(text))).toBe(text)
  })
})
