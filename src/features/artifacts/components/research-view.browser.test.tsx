import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { artifactSources, type MarkedText, type SourceState } from '#contracts/artifact.contract.ts'
import { excerptView } from '#contracts/note.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ResearchView } from './research-view.tsx'
import { SourcesProvider } from './source-context.tsx'
import { SourceList } from './source-list.tsx'

const t = textsOf('artifacts')
const FOUND = 'Leeks stand in the north bed.'
const INVENTED = 'They sing at night.'
const REVISION = 'a'.repeat(40)
const source = (ref: string) => ({ ref, lines: { from: 1, to: 1 }, excerpt: FOUND, revision: REVISION })
const CONTENT = {
  title: 'Leeks',
  summary: FOUND,
  conclusions: [INVENTED],
  open_questions: [],
  sections: [{ heading: 'Beds', body: `${FOUND} ${INVENTED}`, sources: ['North.md', 'South.md'] }],
}
const mark = (places: string) => ({
  type: 'element',
  tagName: 'sup',
  properties: { dataCitation: places },
  children: [],
})
const paragraph = (...parts: (string | ReturnType<typeof mark>)[]) => ({
  type: 'root',
  children: parts.map((part) => (typeof part === 'string' ? { type: 'text', value: part } : part)),
})
const READABLE = {
  summary: paragraph(FOUND, mark('0')),
  sections: [paragraph(FOUND, mark('1'), INVENTED, mark('-'))],
  conclusions: [paragraph(INVENTED)],
}
const marked = (places: number[]): MarkedText => ({
  summary: [{ text: FOUND, sources: [0] }],
  sections: [
    [
      { text: FOUND, sources: [1] },
      { text: INVENTED, sources: places },
    ],
  ],
  conclusions: [[{ text: INVENTED, sources: places }]],
})
const now = (state: SourceState) => ({ state, lines: state === 'moved' ? { from: 7, to: 8 } : null })
const excerpt = {
  path: 'North.md',
  title: 'North',
  revision: REVISION,
  current_revision: REVISION,
  from: 1,
  to: 1,
  total_lines: 2,
  lines: [
    { n: 1, text: FOUND, cited: true },
    { n: 2, text: 'Water them.', cited: false },
  ],
  changed: false,
}

const open = (sentences: MarkedText | null, states: [SourceState, SourceState] = ['same', 'same']) =>
  renderInConsole(
    <SourcesProvider artifact="art-1" sources={[source('North.md'), source('South.md')]}>
      <ResearchView content={CONTENT} readable={READABLE} sentences={sentences} />
      <SourceList />
    </SourcesProvider>,
    {
      procedures: {
        artifacts: router({
          sources: query(artifactSources, () => ({ revision: REVISION, sources: states.map(now) })),
        }),
        notes: router({ excerpt: query(excerptView, () => excerpt) }),
      },
    },
  )
const named = (n: number, path: string) =>
  t('source', { n, path, lines: t('linesAt', { count: 1, lines: '1' }) })

it('shows the sentences without a source alone, below their headings', async () => {
  const screen = await open(marked([]))
  await screen.getByText(t('ungroundedCount', { n: 2 })).click()
  await expect.element(screen.getByRole('heading', { name: 'Beds' })).toBeVisible()
  await expect.element(screen.getByRole('heading', { name: t('conclusions') })).toBeVisible()
  expect(screen.getByRole('listitem').filter({ hasText: INVENTED }).elements()).toHaveLength(2)
  expect(screen.getByRole('listitem').filter({ hasText: FOUND }).elements()).toHaveLength(2)
  await expectAccessible(screen.container)
})

it('says so when every sentence has one', async () => {
  const screen = await open(marked([0]))
  await screen.getByText(t('ungroundedCount', { n: 0 })).click()
  await expect.element(screen.getByText(t('noneUngroundedSentence'))).toBeVisible()
})

it('marks a sentence without a source, and names below a section its places alone', async () => {
  const screen = await open(marked([]))
  await expect.element(screen.getByRole('img', { name: t('ungrounded') })).toBeVisible()
  // The citation in the text and the chip below the section.
  expect(screen.getByRole('button', { name: named(2, 'South.md') }).elements()).toHaveLength(2)
  expect(screen.getByRole('button', { name: named(1, 'North.md') }).elements()).toHaveLength(1)
})

it('filters whole sections of a document without marks', async () => {
  const screen = await open(null)
  await screen.getByText(t('onlyUngrounded')).click()
  await expect.element(screen.getByText(t('noneUngrounded'))).toBeVisible()
})

it('opens a citation by keyboard with quote, lines and state, and gives the focus back', async () => {
  const screen = await open(marked([]), ['moved', 'same'])
  const citation = screen.getByRole('button', { name: named(1, 'North.md') })
  await expect.element(screen.getByText(t('sourceState.moved', { lines: 'lines 7–8' }))).toBeVisible()
  citation.element().focus()
  await userEvent.keyboard('{Enter}')
  const panel = screen.getByRole('dialog', { name: t('sourceN', { n: 1 }) })
  await expect.element(panel.getByText('Water them.')).toBeVisible()
  await expect.element(panel.getByText(t('sourceHint.moved'))).toBeVisible()
  const link = panel.getByRole('link', { name: t('openNote') })
  expect(link.element().getAttribute('href')).toBe('/notes/North.md?from=7&to=8')
  await expectAccessible()
  await userEvent.keyboard('{Escape}')
  await expect.element(panel).not.toBeInTheDocument()
  expect(document.activeElement).toBe(citation.element())
})

it('says of sentences that their only source has changed, and shows them alone', async () => {
  const screen = await open(marked([]), ['same', 'changed'])
  await screen.getByText(t('changedCount', { n: 1 })).click()
  await expect.element(screen.getByRole('heading', { name: 'Beds' })).toBeVisible()
  expect(screen.getByRole('heading', { name: t('summary') }).elements()).toHaveLength(0)
  const name = `${named(2, 'South.md')}. ${t('sourceState.changed')}`
  await expect.element(screen.getByRole('button', { name })).toBeVisible()
})
