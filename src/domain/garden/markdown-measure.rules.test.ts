import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { budgetFault } from './markdown-measure.rules.ts'
import { NOTE_BUDGET } from './note-budget.rules.ts'

const fault = (text: string) => budgetFault(text)?.budget ?? null
/** The most that passes, and one more. */
const edge = (limit: number, text: (n: number) => string) => [fault(text(limit)), fault(text(limit + 1))]

describe('a note passes its budget', () => {
  test.each<[keyof typeof NOTE_BUDGET, number, (n: number) => string]>([
    ['bytes', NOTE_BUDGET.bytes / 64, (n) => `${'a'.repeat(63)}\n`.repeat(n)],
    ['bytes', NOTE_BUDGET.bytes / 128, (n) => `${'я'.repeat(63)}x\n`.repeat(n)],
    ['line', NOTE_BUDGET.line / 2, (n) => 'a '.repeat(n)],
    ['word', NOTE_BUDGET.word, (n) => 'a'.repeat(n)],
    ['depth', NOTE_BUDGET.depth, (n) => `${'>'.repeat(n)} a`],
    ['depth', NOTE_BUDGET.depth, (n) => `\uFEFF${'>'.repeat(n)} a`],
    ['depth', NOTE_BUDGET.depth, (n) => `${'- '.repeat(n)}a`],
    ['depth', NOTE_BUDGET.depth, (n) => `${'1. '.repeat(n)}a`],
    [
      'depth',
      NOTE_BUDGET.depth,
      (n) => Array.from({ length: n }, (_, i) => `${'  '.repeat(i)}- a`).join('\n'),
    ],
    ['marks', NOTE_BUDGET.marks, (n) => '*a '.repeat(n)],
    ['marks', NOTE_BUDGET.marks, (n) => '[\n'.repeat(n)],
    ['nodes', NOTE_BUDGET.nodes, (n) => 'a\n'.repeat(n - 1)],
    // Three nodes an item: its line, its list and itself.
    ['nodes', Math.floor((NOTE_BUDGET.nodes - 1) / 3), (n) => '- a\n'.repeat(n)],
    // Twenty nodes an underlined heading, and the empty line at the end.
    ['nodes', NOTE_BUDGET.nodes / 20 - 1, (n) => 'a\n=\n'.repeat(n)],
    ['nodes', NOTE_BUDGET.nodes / 20 - 1, (n) => '> a\n> =\n'.repeat(n)],
  ])('%s: the limit and no more', (budget, limit, text) => {
    expect(edge(limit, text)).toEqual([null, budget])
  })

  it('not by what looks alike: rules, code, tables, items of their own', () => {
    expect(fault('- '.repeat(5_000))).toBeNull()
    expect(fault(`\`\`\`\n${'> '.repeat(5_000)}\n${'*a '.repeat(5_000)}\n\`\`\`\n`)).toBeNull()
    expect(fault(`|a|\n|-|\n${'|[b](c)|\n'.repeat(1_000)}`)).toBeNull()
    expect(fault('- [a](b)\n'.repeat(1_000))).toBeNull()
    expect(fault(`${'*a '.repeat(NOTE_BUDGET.marks - 1)}\n\n`.repeat(3))).toBeNull()
    expect(fault(`> ${'a'.repeat(100)}\n`.repeat(100))).toBeNull()
  })

  it('by the short rows of a wide table, which are filled up, whatever stands between them', () => {
    const head = `|${'a|'.repeat(500)}\n|${'-|'.repeat(500)}\n`
    expect(fault(`${head}${'|b|\n'.repeat(10)}`)).toBeNull()
    expect(fault(`${head}${'|b|\n'.repeat(50)}`)).toBe('nodes')
    expect(fault(`${head}${'|-|\n|b|\n'.repeat(25)}`)).toBe('nodes')
    expect(fault(`${head}\n${'|b|\n'.repeat(50)}`)).toBeNull()
  })

  it('but for rules, items and empty headings that only look underlined', () => {
    expect(fault('\n---\n'.repeat(3_000))).toBeNull()
    expect(fault('- a\n\n'.repeat(3_000))).toBeNull()
    expect(fault('```\na\n=\n```\n'.repeat(2_000))).toBeNull()
  })

  it('by a block that begins behind code, too', () => {
    expect(fault(`\`\`\`\n\`\`\`\n${'>'.repeat(100)}`)).toBe('depth')
    expect(fault(`~~~\n\`\`\`\n~~~\n${'>'.repeat(100)}`)).toBe('depth')
  })
})

const piece = fc.constantFrom(
  ...[
    '>',
    '- ',
    '1. ',
    '*',
    '_',
    '`',
    '```\n',
    '~~~',
    '[',
    ']',
    '<',
    '|',
    '|-|\n',
    '---\n',
    '#',
    '\n',
    '\n\n',
  ],
  ...['a', ' ', '\t', 'a: ', '{', '}', ',', '&a', '*a', '? ', '\\', '\u{1f331}', '\ud800', '\0', '\r'],
)

describe('measuring', () => {
  it('throws on nothing', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), fc.string({ unit: 'binary' }), (pieces, text) => {
        for (const one of [pieces.join(''), text, `---\n${pieces.join('')}\n---\n${text}`])
          expect([null, 'string']).toContain(fault(one) === null ? null : typeof fault(one))
      }),
      { numRuns: 100, seed: 11 },
    )
  })

  it('reads each character a bounded number of times, whatever stands there', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const reads = (times: number) => countReads(pieces.join('').repeat(times))
        const [one, four] = [reads(100), reads(400)]
        expect(four).toBeLessThanOrEqual(4.5 * one + 10_000)
      }),
      { numRuns: 200, seed: 12 },
    )
  })
})

/** How often single characters are looked at, by their prototype's own ways of looking. */
function countReads(text: string): number {
  const own = String.prototype.charCodeAt
  let reads = 0
  String.prototype.charCodeAt = function (at: number) {
    reads++
    return own.call(this, at)
  }
  try {
    budgetFault(text)
  } finally {
    String.prototype.charCodeAt = own
  }
  return reads
}
