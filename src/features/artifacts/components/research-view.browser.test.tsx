import { expect, it } from 'vitest'
import type { MarkedText } from '#contracts/artifact.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ResearchView } from './research-view.tsx'

const t = textsOf('artifacts')
const FOUND = 'Leeks stand in the north bed.'
const INVENTED = 'They sing at night.'
const source = (ref: string) => ({ ref, lines: { from: 1, to: 1 }, excerpt: FOUND, revision: 'a'.repeat(40) })
const CONTENT = {
  title: 'Leeks',
  summary: FOUND,
  conclusions: [INVENTED],
  open_questions: [],
  sections: [{ heading: 'Beds', body: `${FOUND} ${INVENTED}`, sources: ['North.md', 'South.md'] }],
}
const paragraph = (value: string) => ({ type: 'root', children: [{ type: 'text', value }] })
const READABLE = {
  summary: paragraph(FOUND),
  sections: [paragraph(`${FOUND} ${INVENTED}`)],
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

const open = (sentences: MarkedText | null) =>
  renderInConsole(
    <ResearchView
      content={CONTENT}
      sources={[source('North.md'), source('South.md')]}
      readable={READABLE}
      sentences={sentences}
    />,
    {},
  )

it('shows the sentences without a source alone, below their headings', async () => {
  const screen = await open(marked([]))
  await screen.getByRole('checkbox', { name: t('onlyUngrounded') }).click()
  await expect.element(screen.getByRole('heading', { name: 'Beds' })).toBeVisible()
  await expect.element(screen.getByRole('heading', { name: t('conclusions') })).toBeVisible()
  expect(screen.getByText(INVENTED).elements()).toHaveLength(2)
  expect(screen.getByText(FOUND).elements()).toHaveLength(0)
  await expectAccessible(screen.container)
})

it('says so when every sentence has one', async () => {
  const screen = await open(marked([0]))
  await screen.getByRole('checkbox', { name: t('onlyUngrounded') }).click()
  await expect.element(screen.getByText(t('noneUngroundedSentence'))).toBeVisible()
})

it('names below a section the places that its sentences stand in, and no others', async () => {
  const screen = await open(marked([]))
  const names = screen
    .getByRole('button')
    .elements()
    .map((button) => button.textContent)
  expect(names.filter((name) => name?.includes('.md'))).toHaveLength(1)
  expect(names.join()).toContain('South.md')
})

it('filters whole sections of a document without marks', async () => {
  const screen = await open(null)
  await screen.getByRole('checkbox', { name: t('onlyUngrounded') }).click()
  await expect.element(screen.getByText(t('noneUngrounded'))).toBeVisible()
})
