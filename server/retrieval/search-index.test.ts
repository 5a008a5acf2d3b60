import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linesOf } from './document-lines.ts'
import { buildIndex, buildIndexInSlices, rankNotes, search } from './search-index.ts'
import { indexTerms, stem, terms, words } from './tokenize.ts'

const note = (ref: string, text: string) => ({ ref, revision: `rev-${ref}`, text })
const GARDEN = [
  note(
    'сад/яблуні.md',
    '# Яблуні\n\nЯблуню обрізають у березні. Зав’язь проріджують у червні.\n\n- Сорт «Антонівка» стійкий до морозу.\n- Сорт «Голден» любить тепло.\n',
  ),
  note(
    'garden/pears.md',
    '# Pears\n\nPears are pruned in March.\n\n| Sort | Ripens |\n|---|---|\n| Conference | September |\n',
  ),
  note(
    'garden/water.md',
    '# Watering\n\nWater the young trees every week in summer. Old apple trees need no watering.\n',
  ),
]

describe('words', () => {
  it('unifies apostrophes, case and stress', () => {
    expect(words("Зав’язь ЗАВʼЯЗЬ зав'я\u0301зь")).toEqual(["зав'язь", "зав'язь", "зав'язь"])
  })

  it.each([
    ['оренди', 'оренда'],
    ['лідерства', 'лідерство'],
    ['пропозицію', 'пропозиція'],
    ['leases', 'lease'],
    ['expired', 'expires'],
    ['policies', 'policy'],
    ['заявки', 'заявка'],
    ['хранилища', 'хранилище'],
  ])('folds the endings of %s and %s', (a, b) => {
    expect(stem(a)).toBe(stem(b))
  })

  it('finds a name by its parts and as a whole, and leaves stop words out', () => {
    expect(indexTerms('the LeaseStatus')).toEqual([stem('leasestatus'), stem('lease'), stem('status')])
    expect(terms('що і the or')).toEqual([])
  })
})

describe('search', () => {
  const index = buildIndex(GARDEN)

  it('finds the passage in the reader’s language by another form of the word', () => {
    const [best] = search(index, 'обрізка яблунь у березень', 5)
    expect(best).toMatchObject({ ref: 'сад/яблуні.md', lines: { from: 3, to: 3 }, score: 1 })
  })

  it('gives raw scores that are BM25 with k1 1.2 and b 0.75', () => {
    const documents = ['oak oak elm', 'oak pine', 'fir birch larch willow', 'elm'].map((t, i) =>
      note(`${i}.md`, t),
    )
    const flat = buildIndex(documents)
    const lengths = [3, 2, 4, 1]
    const average = 10 / 4
    const bm25 = (tf: number, length: number, df: number) =>
      Math.log(1 + (4 - df + 0.5) / (df + 0.5)) *
      ((tf * 2.2) / (tf + 1.2 * (1 - 0.75 + (0.75 * length) / average)))
    const found = new Map(search(flat, 'oak elm', 10).map((h) => [h.ref, h.raw]))
    expect(found.get('0.md')).toBeCloseTo(bm25(2, lengths[0] ?? 0, 2) + bm25(1, lengths[0] ?? 0, 2), 10)
    expect(found.get('1.md')).toBeCloseTo(bm25(1, lengths[1] ?? 0, 2), 10)
    expect(found.get('3.md')).toBeCloseTo(bm25(1, lengths[3] ?? 0, 2), 10)
    expect(found.has('2.md')).toBe(false)
  })

  it('scores the best answer 1 and the others between 0 and 1, in order', () => {
    const hits = search(index, 'pruned March trees', 10)
    expect(hits[0]?.score).toBe(1)
    for (const [i, hit] of hits.entries()) {
      expect(hit.score).toBeGreaterThan(0)
      expect(hit.score).toBeLessThanOrEqual(hits[i - 1]?.score ?? 1)
    }
  })

  it('finds nothing for nothing', () => {
    expect(search(index, '', 5)).toEqual([])
    expect(search(index, 'що і та', 5)).toEqual([])
    expect(search(buildIndex([]), 'oak', 5)).toEqual([])
    expect(search(index, 'oak', 0)).toEqual([])
  })

  it('answers the same whatever the order of the documents, and when built in slices', async () => {
    const backwards = buildIndex([...GARDEN].reverse())
    const sliced = await buildIndexInSlices([...GARDEN].reverse())
    for (const q of ['pruned March', 'сорт', 'trees apple watering']) {
      expect(search(backwards, q, 10)).toEqual(search(index, q, 10))
      expect(search(sliced, q, 10)).toEqual(search(index, q, 10))
    }
  })

  it('puts equal hits in the order of their notes, whatever the order of the question', () => {
    const even = buildIndex([note('a.md', 'oak'), note('b.md', 'elm')])
    for (const q of ['oak elm', 'elm oak'])
      expect(search(even, q, 5).map((h) => h.ref)).toEqual(['a.md', 'b.md'])
  })

  it('stops building when aborted', async () => {
    await expect(buildIndexInSlices(GARDEN, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })

  it('ranks notes by a question in another language', () => {
    const lease = buildIndex([
      note('a.md', 'The lease expired yesterday.'),
      note('b.md', 'Leaves fall in autumn.'),
    ])
    expect(rankNotes(lease, 'термін оренди минув', 5).map((n) => n.ref)).toEqual(['a.md'])
  })

  it('excerpts are verbatim lines, for any notes and question', () => {
    const word = fc.constantFrom(
      'oak',
      'дуб',
      'lease',
      'оренда',
      'яблуня',
      'x',
      '|',
      '-',
      '\n',
      '\n\n',
      '# ',
      '. ',
    )
    const text = fc.array(word, { maxLength: 60 }).map((w) => w.join(' '))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), text, (texts, query) => {
        const documents = texts.map((t, i) => note(`${i}.md`, t))
        for (const hit of search(buildIndex(documents), query, 20)) {
          const source = documents.find((d) => d.ref === hit.ref)
          expect(source && linesOf(source, hit.lines)).toBe(hit.excerpt)
          expect(hit.score).toBeGreaterThan(0)
          expect(hit.score).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: 300, seed: 17 },
    )
  })
})

it('a text of very many items is indexed like any other', async () => {
  const text = `${'- a\n'.repeat(250_000)}- leeks\n`
  const index = await buildIndexInSlices([{ ref: 'a.md', revision: 'r', text }])
  expect(search(index, 'leeks', 1)[0]?.lines).toEqual({ from: 250_001, to: 250_001 })
})
