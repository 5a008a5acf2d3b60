import { describe, expect, it } from 'vitest'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { MarkdownView } from './markdown-view.tsx'

const t = textsOf('ui')
const plain = (value: string, why: unknown = { budget: 'depth', limit: 32 }) => ({
  type: 'root',
  data: { plain: why },
  children: [{ type: 'text', value }],
})

describe('a text that passes a budget', () => {
  it('is shown as it is written, with the reason', async () => {
    const screen = await renderInConsole(<MarkdownView tree={plain('>>> <b>x</b> *y*')} />)
    await expect.element(screen.getByText(t('shownPlain', { budget: 'depth', limit: 32 }))).toBeVisible()
    expect(t('shownPlain', { budget: 'depth', limit: 32 })).toContain('32 levels of nested quotes and lists')
    expect(document.querySelector('pre')?.textContent).toBe('>>> <b>x</b> *y*')
    expect(document.querySelector('b, em')).toBeNull()
    await expectAccessible()
  })

  it('says so where no budget is passed', async () => {
    const early = await renderInConsole(<MarkdownView tree={plain('- a', 'reading')} />)
    await expect.element(early.getByText(t('shownMeanwhile'))).toBeVisible()
    const odd = await renderInConsole(<MarkdownView tree={plain('- a', { budget: 'faults', limit: 0 })} />)
    await expect.element(odd.getByText(t('shownUnparsed'))).toBeVisible()
  })

  it('comes in parts when it is long', async () => {
    const screen = await renderInConsole(<MarkdownView tree={plain('x'.repeat(250_000))} />)
    expect(document.querySelector('pre')?.textContent).toHaveLength(100_000)
    await screen.getByRole('button', { name: t('showRest', { count: 150_000 }) }).click()
    expect(document.querySelector('pre')?.textContent).toHaveLength(200_000)
  })
})

it('keeps on blocks that scroll the line of the file that they begin at', async () => {
  const block = (tagName: string, dataLine: number, value: string) => ({
    ...{ type: 'element', tagName, properties: { dataLine } },
    children: [{ type: 'text', value }],
  })
  const tree = {
    type: 'root',
    children: [block('p', 3, 'Earth'), block('pre', 5, 'hoe'), block('table', 9, '')],
  }
  const screen = await renderInConsole(<MarkdownView tree={tree} />)
  await expect.element(screen.getByText('hoe')).toBeVisible()
  const lines = [...document.querySelectorAll<HTMLElement>('[data-line]')]
  expect(lines.map(({ tagName, dataset }) => [tagName, dataset.line])).toEqual([
    ['P', '3'],
    ['PRE', '5'],
    ['TABLE', '9'],
  ])
})
