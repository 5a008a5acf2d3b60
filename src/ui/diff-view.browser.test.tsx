import { describe, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { DiffView, type DiffViewProps } from './diff-view.tsx'

const t = textsOf('ui')
const PATH = 'notes/north.md'
const LINES = Array.from({ length: 24 }, (_, i) => `Line ${i + 1} stays.`)
const text = (lines: readonly string[]) => `${lines.join('\n')}\n`
const TWO_PLACES = text(LINES.with(2, 'Line 3 went.').with(20, 'Line 21 went.'))

const open = (props: Partial<DiffViewProps>) =>
  renderInConsole(<DiffView path={PATH} before={text(LINES)} after={TWO_PLACES} {...props} />)

const all = (tag: 'ins' | 'del' | 'mark') => [...document.querySelectorAll(tag)].map((e) => e.textContent)

describe('a diff', () => {
  it('names its file and shows what is removed, added and which words of a line changed', async () => {
    const screen = await open({})
    await expect.element(screen.getByRole('region', { name: PATH })).toBeVisible()
    expect(all('del')).toEqual(['Line 3 stays.', 'Line 21 stays.'])
    expect(all('ins')).toEqual(['Line 3 went.', 'Line 21 went.'])
    expect(all('mark')).toEqual(['stays', 'went', 'stays', 'went'])
    await expectAccessible()
  })

  it('folds what stays, and unfolds it when it is asked', async () => {
    const screen = await open({})
    await expect.element(screen.getByText('Line 12 stays.')).not.toBeInTheDocument()
    await screen.getByRole('button', { name: t('unchanged', { count: 11 }), exact: false }).click()
    await expect.element(screen.getByText('Line 12 stays.')).toBeVisible()
  })

  it('stays at the last hunk at n and at the first at p', async () => {
    const screen = await open({})
    const mark = (n: number) =>
      getComputedStyle(screen.getByRole('group', { name: t('hunk', { n, total: 2 }) }).element()).boxShadow
    await userEvent.keyboard('nnnn')
    await expect.poll(() => [mark(1) !== 'none', mark(2) !== 'none']).toEqual([false, true])
    await userEvent.keyboard('pppp')
    await expect.poll(() => [mark(1) !== 'none', mark(2) !== 'none']).toEqual([true, false])
  })

  it('turns from the diff to the text as it reads and to its source by o', async () => {
    const screen = await open({ rendered: <p>As it reads.</p> })
    const chosen = () => screen.getByRole('radio', { checked: true })
    await userEvent.keyboard('o')
    await expect.element(chosen()).toHaveAccessibleName(t('viewRendered'))
    await expect.element(screen.getByText('As it reads.')).toBeVisible()
    await userEvent.keyboard('o')
    await expect.element(chosen()).toHaveAccessibleName(t('viewSource'))
    await expectAccessible()
    await userEvent.keyboard('o')
    await expect.element(chosen()).toHaveAccessibleName(t('viewDiff'))
  })

  it('shows the new text alone where too much differs', async () => {
    const many = (word: string) => Array.from({ length: 3_000 }, (_, n) => `${word} ${n}\n`).join('')
    const screen = await open({ before: many('old'), after: many('new') })
    await expect.element(screen.getByText(t('tooLargeToCompare'))).toBeVisible()
    expect(document.querySelector('pre')?.textContent).toBe(many('new'))
    await expectAccessible()
  })

  it('draws a change of many lines in parts', async () => {
    const screen = await open({ before: null, after: 'line\n'.repeat(2_500) })
    expect(all('ins')).toHaveLength(1_000)
    await screen.getByRole('button', { name: t('showRows', { count: 1_000 }), exact: false }).click()
    expect(all('ins')).toHaveLength(2_000)
    await screen.getByRole('button', { name: t('showRows', { count: 500 }), exact: false }).click()
    expect(all('ins')).toHaveLength(2_500)
  })

  it('shows moved lines as removed there and added here', async () => {
    await open({ after: text([...LINES.slice(2), ...LINES.slice(0, 2)]) })
    expect(all('del')).toEqual(['Line 1 stays.', 'Line 2 stays.'])
    expect(all('ins')).toEqual(['Line 1 stays.', 'Line 2 stays.'])
    expect(all('mark')).toEqual([])
  })

  it('says when nothing changed, and when only space did', async () => {
    const screen = await open({ after: text(LINES.with(3, 'Line  4 stays. ')) })
    await expect.element(screen.getByText(t('noChanges'))).not.toBeInTheDocument()
    await screen.getByRole('checkbox', { name: t('ignoreSpace') }).click()
    await expect.element(screen.getByText(t('noChanges'))).toBeVisible()
    await expectAccessible()
  })

  it('shows a new file as added and a removed one as removed', async () => {
    const screen = await open({ before: null, after: 'One.\nTwo.\n' })
    expect([all('del'), all('ins')]).toEqual([[], ['One.', 'Two.']])
    await screen.unmount()
    await open({ before: 'One.\n', after: null })
    expect([all('del'), all('ins')]).toEqual([['One.'], []])
  })

  it('breaks a line without spaces instead of growing wider than the page', async () => {
    const screen = await open({ before: 'short\n', after: `${'a'.repeat(3_000)}\n` })
    const region = screen.getByRole('region', { name: PATH }).element()
    expect(region.scrollWidth).toBeLessThanOrEqual(region.clientWidth)
    for (const box of region.querySelectorAll('*'))
      expect(box.getBoundingClientRect().right).toBeLessThanOrEqual(1_280)
  })
})
