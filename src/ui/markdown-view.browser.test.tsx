import { describe, expect, it } from 'vitest'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { MarkdownView } from './markdown-view.tsx'

const t = textsOf('ui')
const plain = (value: string) => ({
  type: 'root',
  data: { plain: { budget: 'depth', limit: 32 } },
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

  it('comes in parts when it is long', async () => {
    const screen = await renderInConsole(<MarkdownView tree={plain('x'.repeat(250_000))} />)
    expect(document.querySelector('pre')?.textContent).toHaveLength(100_000)
    await screen.getByRole('button', { name: t('showRest', { count: 150_000 }) }).click()
    expect(document.querySelector('pre')?.textContent).toHaveLength(200_000)
  })
})
