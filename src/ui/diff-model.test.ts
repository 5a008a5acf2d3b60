import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildDiff, type DiffModel, type Line } from './diff-model.ts'
import { wordDiff } from './word-diff.ts'

const lines = (model: DiffModel): Line[] => model.blocks.flatMap((b) => [...b.lines])
const side = (model: DiffModel, kind: 'insert' | 'delete') =>
  lines(model)
    .filter((l) => l.kind === 'same' || l.kind === kind)
    .map((l) => l.words.map((w) => w.text).join(''))
    .join('\n')

describe('the difference of two texts', () => {
  it('loses nothing: both texts can be read off it again', () => {
    const text = fc.array(
      fc.string({ unit: 'grapheme', maxLength: 12 }).map((s) => s.replace(/[\n\r]/g, ' ')),
      { minLength: 1, maxLength: 12 },
    )
    fc.assert(
      fc.property(text, text, (a, b) => {
        const model = buildDiff(`${a.join('\n')}\n`, `${b.join('\n')}\n`)
        expect(side(model, 'delete')).toBe(a.join('\n'))
        expect(side(model, 'insert')).toBe(b.join('\n'))
      }),
      { numRuns: 200, seed: 7 },
    )
  })

  it('marks whole words of any script, not parts of them', () => {
    const model = buildDiff('вузол поновлюється сам собою тут\n', 'вузол поновлюємо сам собою тут\n')
    const marked = lines(model).map((l) => l.words.filter((w) => w.changed).map((w) => w.text))
    expect(marked).toEqual([['поновлюється'], ['поновлюємо']])
  })

  it('is given up where too much differs, and not for a new file of many lines', () => {
    const many = (word: string) => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}\n`).join('')
    expect(buildDiff(many('old'), many('new'))).toMatchObject({
      tooLarge: true,
      blocks: [],
      added: 3_000,
      removed: 3_000,
    })
    expect(buildDiff(null, many('new'))).toMatchObject({ tooLarge: false, added: 3_000, removed: 0 })
    expect(wordDiff('', many('new'))).toEqual([{ kind: 'insert', text: many('new') }])
    expect(buildDiff(many('old'), null)).toMatchObject({ tooLarge: false, added: 0, removed: 3_000 })
    expect(buildDiff(many('old'), `${many('old')}x\n`)).toMatchObject({ tooLarge: false, added: 1 })
  })

  it('compares lines of very many different words by lines alone', () => {
    const words = (word: string) => `same ${Array.from({ length: 250 }, (_, n) => `${word}${n}`).join(' ')}\n`
    expect(lines(buildDiff(words('a'), words('b'))).map((l) => l.words.length)).toEqual([1, 1])
  })

  it('numbers the lines of both sides', () => {
    const model = buildDiff('a\nb\nc\n', 'a\nx\nc\nd\n')
    expect(lines(model).map((l) => [l.kind, l.before, l.after])).toEqual([
      ['same', 1, 1],
      ['delete', 2, null],
      ['insert', null, 2],
      ['same', 3, 3],
      ['insert', null, 4],
    ])
    expect([model.added, model.removed]).toEqual([2, 1])
  })

  it('folds what is far from a change and counts the hunks', () => {
    const before = Array.from({ length: 30 }, (_, i) => `line ${i}`)
    const after = before.map((l, i) => (i === 2 || i === 25 ? `${l} changed` : l))
    const model = buildDiff(before.join('\n'), after.join('\n'), { context: 2 })
    expect(model.blocks.map((b) => (b.kind === 'fold' ? `fold ${b.lines.length}` : `hunk ${b.n}`))).toEqual([
      'hunk 1',
      'fold 18',
      'hunk 2',
      'fold 2',
    ])
    expect(model.hunks).toBe(2)
  })

  it('sees a created and a removed file', () => {
    expect(buildDiff(null, 'a\nb\n')).toMatchObject({ added: 2, removed: 0, hunks: 1 })
    expect(buildDiff('a\n', null)).toMatchObject({ added: 0, removed: 1, hunks: 1 })
  })

  it('can look past whitespace', () => {
    expect(buildDiff('a  b\n', 'a b \n', { ignoreSpace: true }).hunks).toBe(0)
    expect(buildDiff('a  b\n', 'a b \n').hunks).toBe(1)
  })
})
