import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linesOf } from './document-lines.ts'
import { passagesOf } from './passages.ts'

const doc = (text: string, firstLine?: number) => ({
  ref: 'нотатка.md',
  revision: 'r1',
  text,
  ...(firstLine ? { firstLine } : {}),
})
const shown = (text: string) => passagesOf(doc(text)).map((p) => [p.kind, p.lines.from, p.lines.to] as const)

describe('passages of Markdown', () => {
  it('leaves out front matter and headings, and keeps the headings above', () => {
    const text = '---\ntitle: x\n---\n# Сад\n\nПерший абзац.\n\n## Дерева `дуб`\nДругий\nабзац.\n'
    expect(shown(text)).toEqual([
      ['paragraph', 6, 6],
      ['paragraph', 9, 10],
    ])
    expect(passagesOf(doc(text)).map((p) => p.headings)).toEqual([['Сад'], ['Сад', 'Дерева дуб']])
  })

  it('takes a list item with what hangs below it, and knows the whole list with its introduction', () => {
    const text = 'Options:\n\n1. One\n   - deeper\n\n   still one\n2. Two\n\nAfter.\n'
    expect(shown(text)).toEqual([
      ['paragraph', 1, 1],
      ['item', 3, 6],
      ['item', 7, 7],
      ['paragraph', 9, 9],
    ])
    expect(passagesOf(doc(text)).map((p) => p.block)).toEqual([
      { from: 1, to: 7 },
      { from: 1, to: 7 },
      { from: 1, to: 7 },
      { from: 9, to: 9 },
    ])
  })

  it('takes each table row by itself and knows its head', () => {
    const passages = passagesOf(doc('| A | B |\n|---|---|\n| a | b |\n| c | d |\n'))
    expect(passages.map((p) => [p.lines.from, p.head])).toEqual([
      [3, { from: 1, to: 2 }],
      [4, { from: 1, to: 2 }],
    ])
  })

  it('takes a fence as one passage, whatever stands in it', () => {
    expect(shown('Before\n```sh\n# no heading\n- no item\n```\nAfter')).toEqual([
      ['paragraph', 1, 1],
      ['code', 2, 5],
      ['paragraph', 6, 6],
    ])
  })

  it('numbers the lines of a part of a file as the file does', () => {
    const part = doc('One.\n\nTwo.', 41)
    expect(passagesOf(part).map((p) => p.lines)).toEqual([
      { from: 41, to: 41 },
      { from: 43, to: 43 },
    ])
    expect(linesOf(part, { from: 43, to: 43 })).toBe('Two.')
    expect(linesOf(part, { from: 2, to: 3 })).toBe('')
  })

  it('quotes the exact lines, for any text', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        '# H',
        '## Заголовок',
        '- пункт',
        '  - глибше',
        '1. one',
        '| a | b |',
        '|---|---|',
        '```',
        '---',
        'Абзац з реченням. Друге.',
        '> цитата',
        '    відступ',
      ),
      fc.string({ maxLength: 30 }).map((s) => s.replaceAll('\n', ' ')),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (lines, firstLine) => {
        const document = doc(lines.join('\n'), firstLine)
        const passages = passagesOf(document)
        let last = 0
        for (const p of passages) {
          expect(p.text).toBe(lines.slice(p.lines.from - firstLine, p.lines.to - firstLine + 1).join('\n'))
          expect(p.lines.from).toBeGreaterThan(last)
          expect(p.block.from).toBeLessThanOrEqual(p.lines.from)
          expect(p.block.to).toBeGreaterThanOrEqual(p.lines.to)
          last = p.lines.to
        }
      }),
      { numRuns: 500, seed: 17 },
    )
  })
})
