import { describe, expect, test } from 'vitest'
import { frontmatterFault } from './frontmatter-measure.rules.ts'
import { NOTE_BUDGET } from './note-budget.rules.ts'

const fault = (yaml: string) => frontmatterFault(yaml)?.budget ?? null

describe('a front matter passes its budget', () => {
  test.each<[keyof typeof NOTE_BUDGET, number, (n: number) => string]>([
    ['frontmatter_bytes', NOTE_BUDGET.frontmatter_bytes, (n) => 'a'.repeat(n)],
    ['frontmatter_entries', NOTE_BUDGET.frontmatter_entries, (n) => 'a\n'.repeat(n - 1)],
    ['frontmatter_depth', NOTE_BUDGET.frontmatter_depth, (n) => `a: ${'['.repeat(n - 1)}`],
    ['frontmatter_depth', NOTE_BUDGET.frontmatter_depth, (n) => `a: ${'{'.repeat(n - 1)}`],
    ['frontmatter_depth', NOTE_BUDGET.frontmatter_depth, (n) => '? '.repeat(n)],
    ['frontmatter_depth', NOTE_BUDGET.frontmatter_depth, (n) => `${'- '.repeat(n - 1)}a`],
    [
      'frontmatter_depth',
      NOTE_BUDGET.frontmatter_depth,
      (n) => Array.from({ length: n }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
    ],
    ['frontmatter_aliases', NOTE_BUDGET.frontmatter_aliases, (n) => 'a: *b\n'.repeat(n)],
  ])('%s: the limit and no more', (budget, limit, text) => {
    expect([fault(text(limit)), fault(text(limit + 1))]).toEqual([null, budget])
  })

  test('but not for lists and maps that end beside one another', () => {
    expect(fault(`a: [${'[b],{c},'.repeat(100)}d]`)).toBeNull()
  })
})
