import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { researchBrief } from '#contracts/research.contract.ts'
import { checkGrounding, isVerbatim } from './check-grounding.ts'
import { languageOf } from './question.ts'
import { research } from './research-engine.ts'
import { buildIndex } from './search-index.ts'
import { foldSpace, sentencesOf } from './sentences.ts'

const note = (ref: string, text: string) => ({ ref, revision: `rev-${ref}`, text })
const GARDEN = [
  note(
    'вода/полив.md',
    '# Полив\n\nМолоді яблуні поливають щотижня. Дощ рахується як полив.\n\n## Якщо вода закінчилась\n\n1. Перевірити бак.\n2. Якщо бак порожній:\n   - закрити кран;\n   - чекати на дощ.\n',
  ),
  note(
    'trees/pruning.md',
    '# Pruning\n\nApple trees are pruned in March. Never prune in frost, because the wood splits.\n\n| Tree | Month |\n|---|---|\n| Apple | March |\n| Cherry | August |\n',
  ),
  note(
    'lease.md',
    '# Plot lease\n\nA plot lease lasts one year. When the lease expired, the plot goes to the next gardener.\n',
  ),
]
/** The product's own, and the real one that stands beside a checkout. */
const GARDENS = ['prisma/seed/garden', process.env.E2E_GARDEN || '../shared/garden'].filter((folder) =>
  existsSync(folder),
)
const index = buildIndex(GARDEN)

describe('the extractive engine', () => {
  it('answers with the notes’ own words, under their own headings, with their lines', () => {
    const { content, sources, grounding, engine } = research(index, { query: 'When are apple trees pruned?' })
    expect(content.summary).toContain('Apple trees are pruned in March.')
    expect(content.sections[0]).toMatchObject({ heading: 'Pruning', sources: ['trees/pruning.md'] })
    expect(sources[0]).toMatchObject({
      ref: 'trees/pruning.md',
      revision: 'rev-trees/pruning.md',
      lines: { from: 3, to: 3 },
    })
    expect(grounding).toMatchObject({ status: 'grounded' })
    expect(grounding.grounded_claims).toBe(grounding.claims)
    expect(engine).toEqual({ id: 'extractive', model: null, version: '1.0.0' })
  })

  it('answers a Ukrainian question from an English note', () => {
    const { content } = research(index, { query: 'Що відбувається, коли оренда ділянки минула?' })
    expect(content.summary).toContain('When the lease expired, the plot goes to the next gardener.')
    expect(content.open_questions).toEqual(['У вибраних джерелах нічого немає про «ділянки».'])
  })

  it('shows a list item together with its list, as it stands', () => {
    const { content } = research(index, { query: 'Що робити, якщо бак порожній?' })
    expect(content.sections[0]?.heading).toBe('Полив — Якщо вода закінчилась')
    expect(content.sections[0]?.body).toBe(
      '1. Перевірити бак.\n2. Якщо бак порожній:\n   - закрити кран;\n   - чекати на дощ.',
    )
  })

  it('shows table rows below the head of their table', () => {
    const { content } = research(index, { query: 'cherry month' })
    expect(content.sections[0]?.body).toContain('| Tree | Month |\n|---|---|\n')
    expect(content.sections[0]?.body).toContain('| Cherry | August |')
  })

  it.each([
    ['Коли обрізають яблуні трактором?', 'У вибраних джерелах нічого немає про «трактором».'],
    ['Are apple trees pruned by tractor?', 'The sources chosen here say nothing of “tractor”.'],
    ['Что происходит с lease и трактором?', 'В выбранных источниках ничего нет о «трактором».'],
  ])('turns unanswered words into open questions in the language of «%s»', (query, open) => {
    expect(research(index, { query }).content.open_questions).toContain(open)
  })

  it('says so when nothing fits, cites nothing and is ungrounded', () => {
    const { content, sources, grounding } = research(index, { query: 'Як спекти борщ?' })
    expect(researchBrief.parse(content).sections).toEqual([
      {
        heading: 'Уривків не знайдено',
        body: 'Жоден уривок джерел не говорить про це запитання.',
        sources: [],
      },
    ])
    expect(content.open_questions[0]).toBe('Як спекти борщ?')
    expect(sources).toEqual([])
    expect(grounding).toEqual({ status: 'ungrounded', claims: 2, grounded_claims: 0 })
  })

  it.each([
    ['Хто підтверджує пропозиції?', 'У вибраних джерелах нічого немає про «підтверджує».'],
    ['Как архивируется грядка?', 'В выбранных источниках ничего нет о «архивируется».'],
  ])('answers «%s», a word of which stands nowhere, with what speaks of the rest', (query, open) => {
    const speaking = Array.from({ length: 40 }, (_, n) =>
      note(`s${n}.md`, `Пропозицію ${n} бачить садівник.\n`),
    )
    const silent = Array.from({ length: 20 }, (_, n) => note(`o${n}.md`, `Грядка ${n} цвіте.\n`))
    const { content, sources } = research(buildIndex([...speaking, ...silent]), { query })
    expect(sources.length).toBeGreaterThan(0)
    expect(content.open_questions).toContain(open)
  })

  it.each(['Beds/', 'Beds/.md', '/'])('puts a text under the name «%s» that has no last part', (ref) => {
    const { content } = research(buildIndex([note(ref, 'Leeks grow here.\n')]), { query: 'leeks' })
    expect(researchBrief.parse(content).sections[0]?.heading).toBe(ref)
  })

  it('keeps to the number of sections asked for, and to the language asked for', () => {
    const { content } = research(index, {
      query: 'lease apple полив трактор',
      maxSections: 1,
      language: 'ru',
    })
    expect(content.sections).toHaveLength(1)
    expect(content.open_questions.at(-1)).toBe('В выбранных источниках ничего нет о «трактор».')
  })

  it('quotes at most 2000 characters of a line that is longer, and claims no more than it quotes', () => {
    const long = `${'Слово про яблуні без кінця '.repeat(150)}і нарешті груша.`
    const { sources, grounding } = research(buildIndex([note('long.md', long)]), { query: 'яблуні' })
    expect(sources).toHaveLength(1)
    expect(sources[0]?.excerpt).toHaveLength(2000)
    expect(grounding.grounded_claims).toBeLessThanOrEqual(grounding.claims)
  })

  it('is verbatim, valid and the same again, for any notes and question', () => {
    const word = fc.constantFrom(
      'oak',
      'дуб',
      'lease',
      'expired.',
      'оренда',
      'Якщо',
      '|',
      '- ',
      '1. ',
      '\n',
      '\n\n',
      '\n# ',
      '```',
      ': ',
      '🌱',
    )
    const text = fc.array(word, { maxLength: 80 }).map((w) => w.join(' '))
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 4 }),
        text,
        fc.integer({ min: 1, max: 12 }),
        (texts, asked, maxSections) => {
          const documents = texts.map((t, i) => note(`${i}.md`, t))
          const query = `${asked} дуб`
          const answer = research(buildIndex(documents), { query, maxSections })
          researchBrief.parse(answer.content)
          for (const s of answer.sources) expect(isVerbatim(s, documents)).toBe(true)
          expect(checkGrounding(answer.content, answer.sources, documents)).toMatchObject({
            ...answer.grounding,
            faults: [],
          })
          if (answer.sources.length > 0) expect(answer.grounding.status).toBe('grounded')
          expect(research(buildIndex([...documents].reverse()), { query, maxSections })).toEqual(answer)
        },
      ),
      {
        numRuns: 300,
        ...(process.env.RANDOM_RUNS ? { numRuns: Number(process.env.RANDOM_RUNS) } : { seed: 17 }),
      },
    )
  })

  it.each(GARDENS)('cites only verbatim text of the garden in %s', (folder) => {
    const files = globSync('**/*.md', { cwd: folder }).sort()
    const documents = files.map((ref) => note(ref, readFileSync(join(folder, ref), 'utf8')))
    const whole = buildIndex(documents)
    const titles = documents.flatMap(({ text }) => /^# (.+)$/m.exec(text)?.[1] ?? [])
    expect(titles.length).toBeGreaterThan(5)
    for (const query of titles.slice(0, 12)) {
      const answer = research(whole, { query })
      expect(answer.sources.length, query).toBeGreaterThan(0)
      for (const source of answer.sources) expect(isVerbatim(source, documents)).toBe(true)
      expect(answer.grounding.status, query).toBe('grounded')
    }
  })
})

describe('grounding', () => {
  const brief = (body: string, sources: string[]) => ({
    title: 't',
    summary: '',
    sections: [{ heading: 'h', body, sources }],
    conclusions: [],
    open_questions: [],
  })
  const source = {
    ref: 'lease.md',
    lines: { from: 3, to: 3 },
    excerpt: 'A plot lease lasts one year.',
    revision: 'rev-lease.md',
  }

  it('counts a sentence that stands in a quote of its section, white space folded', () => {
    const check = checkGrounding(
      brief('A plot  lease\nlasts one year. It may last ten.', ['lease.md']),
      [source],
      GARDEN,
    )
    expect(check).toEqual({ status: 'partial', claims: 2, grounded_claims: 1, faults: [] })
  })

  it.each([
    ['another revision', { ...source, revision: 'old' }],
    ['other lines', { ...source, lines: { from: 1, to: 2 } }],
    ['another text', { ...source, excerpt: 'A plot lease lasts ten years.' }],
    ['another note', { ...source, ref: 'trees/pruning.md' }],
  ])('does not count a quote of %s', (_, wrong) => {
    const check = checkGrounding(brief('A plot lease lasts one year.', [wrong.ref]), [wrong], GARDEN)
    expect(check.status).toBe('ungrounded')
    expect(check.faults).toHaveLength(1)
  })

  it('does not count a quote that the section does not name, and names refs without a quote', () => {
    const check = checkGrounding(
      brief('A plot lease lasts one year.', ['trees/pruning.md']),
      [source],
      GARDEN,
    )
    expect(check.status).toBe('ungrounded')
    expect(check.faults).toEqual(['a section names trees/pruning.md, which is not cited'])
  })

  it('splits sentences at full stops before a capital, at items, rows and headings', () => {
    expect(
      sentencesOf('Один. Два v1.2 three?\nstill. Чотири!\n- item a\n  more\n| x | y |\n|---|---|'),
    ).toEqual(['Один.', 'Два v1.2 three?\nstill.', 'Чотири!', 'item a\n  more', '| x | y |'])
    expect(foldSpace(' a\n  b ')).toBe('a b')
  })

  it.each([
    ['Що це?', 'uk'],
    ['Где узел?', 'ru'],
    ['Как прививается груша?', 'ru'],
    ['Стан вузла', 'uk'],
    ['What?', 'en'],
  ])('takes «%s» for %s', (question, language) => {
    expect(languageOf(question)).toBe(language)
  })
})
