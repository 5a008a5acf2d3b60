/** How a guest reads: folders, contents, search, history, changes while one reads, suggestions. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { page as browser, userEvent } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { openNote, PATH } from '../testing/open-note.tsx'
import { NotesPage } from './notes-page.tsx'

const notes = textsOf('notes')

describe('beside a note', () => {
  it('the folders: one tab stop, arrows and letters, a drawer on a phone', async () => {
    const { page, options } = await openNote('guest')
    const screen = await renderInConsole(page(), options)
    const item = (name: string | RegExp) => screen.getByRole('treeitem', { name })
    await expect.element(item('Questions')).toHaveAttribute('aria-current', 'page')
    await expect.element(screen.getByText(`Shed (${notes('notInZone')})`)).toBeVisible()
    await item('Questions').element().focus()
    await userEvent.keyboard('{ArrowUp}{ArrowRight}')
    await expect.element(item('North bed')).toHaveAttribute('aria-level', '2')
    await expect.element(item('Beds 2')).toHaveFocus()
    await userEvent.keyboard('n')
    await expect.element(item('North bed')).toHaveFocus()
    await userEvent.keyboard('{End}{Home}{ArrowLeft}')
    await expect.element(item('North bed')).not.toBeInTheDocument()
    expect(screen.container.querySelectorAll('[role=treeitem][tabindex="0"]')).toHaveLength(1)
    await expectAccessible()
    await browser.viewport(390, 844)
    onTestFinished(() => browser.viewport(1280, 800))
    await userEvent.keyboard('f')
    const drawer = screen.getByRole('dialog', { name: notes('tree') })
    await expect.element(drawer.getByRole('treeitem', { name: 'Questions' })).toBeVisible()
    await expectAccessible()
    await drawer.getByRole('link', { name: 'Questions' }).click()
    await expect.element(drawer).not.toBeInTheDocument()
  })

  it('the folders are read in one request, again after a commit alone, and not where they are hidden', async () => {
    const { page, options, treeReads } = await openNote('guest')
    await browser.viewport(390, 844)
    onTestFinished(() => browser.viewport(1280, 800))
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByText('Questions.', { exact: true })).toBeVisible()
    expect(treeReads).toEqual([])
    await browser.viewport(1280, 800)
    await expect.element(screen.getByText(textsOf('live')('live'))).toBeVisible()
    const item = (name: string) => screen.getByRole('treeitem', { name })
    await expect.element(item('Questions')).toBeVisible()
    await item('Questions').element().focus()
    const became = (to: string) =>
      screen.network.publish({
        ...{ id: '7', topic: 'proposal.status.changed', to },
        resource: { type: 'proposal', id: 'p' },
      })
    became('APPROVED')
    await userEvent.keyboard('{ArrowUp}{ArrowRight}')
    await expect.element(item('North bed')).toBeVisible()
    expect(treeReads).toEqual([[''], ['', 'Beds']])
    await userEvent.keyboard('{ArrowLeft}{ArrowRight}{ArrowLeft}')
    became('APPLIED')
    await expect.poll(() => treeReads).toEqual([[''], ['', 'Beds'], ['', 'Beds']])
  })

  it('its headings, in a list or in a disclosure', async () => {
    await browser.viewport(1440, 900)
    onTestFinished(() => browser.viewport(1280, 800))
    const { page, options } = await openNote('guest')
    const screen = await renderInConsole(page(), options)
    const contents = screen.getByRole('navigation', { name: textsOf('ui')('contents') })
    await expect
      .element(contents.getByRole('link', { name: 'Watering' }))
      .toHaveAttribute('href', '#user-content-Watering')
    await browser.viewport(390, 844)
    await expect.element(contents).not.toBeInTheDocument()
    await screen.getByText(textsOf('ui')('contentsOf', { n: 2 })).click()
    await expect.element(contents.getByRole('link', { name: 'Sowing' })).toBeVisible()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  })
})

describe('a guest', () => {
  it('suggests a change of the selected passage, where the zone takes suggestions', async () => {
    const { given, page, options } = await openNote('guest')
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByRole('button', { name: notes('suggest') })).toBeVisible()
    await expect.element(screen.getByText(notes('ownerSees'))).toBeVisible()
    const passage = screen.getByText('Questions.', { exact: true }).element()
    window.getSelection()?.selectAllChildren(passage)
    await userEvent.keyboard('s')
    await screen.getByRole('textbox', { name: new RegExp(`^${notes('suggestText')}`) }).fill('Ask more.')
    await expectAccessible()
    await screen.getByRole('button', { name: notes('sendSuggestion') }).click()
    await expect.element(screen.getByText(notes('suggested'))).toBeVisible()
    expect(given).toEqual([{ path: PATH, text: 'Ask more.', quote: 'Questions.' }])
  })

  it('reads on while the note changes, until the new version is asked for', async () => {
    const { page, options, change } = await openNote('guest')
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByText('Questions.', { exact: true })).toBeVisible()
    await expect.element(screen.getByText(textsOf('live')('live'))).toBeVisible()
    change()
    screen.network.publish({
      id: '7',
      topic: 'proposal.status.changed',
      resource: { type: 'note', id: 'zone' },
    })
    await expect.element(screen.getByText(notes('noteChanged'))).toBeVisible()
    await expect.element(screen.getByText('Questions.', { exact: true })).toBeVisible()
    await screen.getByRole('button', { name: notes('showChanged') }).click()
    await expect.element(screen.getByText('Answers.', { exact: true })).toBeVisible()
    await expect.element(screen.getByText(notes('noteChanged'))).not.toBeInTheDocument()
  })
})

describe('a search', () => {
  it('shows its passages with the words marked, each a link to its place', async () => {
    const { options } = await openNote('guest')
    const screen = await renderInConsole(<NotesPage />, { ...options, at: '/notes?q=leek' })
    const link = screen.getByRole('link', { name: 'Water the Leeks.' })
    await expect.element(link).toHaveAttribute('href', '/notes/Beds/North.md?line=7&find=leeks')
    expect(link.element().querySelector('mark')?.textContent).toBe('Leeks')
    await expectAccessible()
  })

  it('leads to the line, which has the focus, with the words marked', async () => {
    const { page, options } = await openNote('guest')
    const at = `${options.at}?line=4&find=questions`
    const screen = await renderInConsole(page(), { ...options, at })
    const block = screen.getByText('Questions.', { exact: true })
    await expect.element(block).toHaveFocus()
    const marked = [...(CSS.highlights.get('found') ?? [])].map(String)
    expect(marked).toEqual(['Questions'])
    await screen.unmount()
    expect(CSS.highlights.has('found')).toBe(false)
  })
})

describe('the history', () => {
  it('opens a version to what it changed: lines, words and as it reads, turned by o', async () => {
    const { page, options } = await openNote('guest')
    const screen = await renderInConsole(page(), { ...options, at: `${options.at}?view=history` })
    await screen.getByRole('button', { name: 'Basil' }).click()
    const view = screen.getByRole('region', { name: PATH })
    await expect.element(view.getByText('Basil grows.').first()).toBeVisible()
    await userEvent.keyboard('o')
    await expect.element(view.getByRole('deletion')).toHaveTextContent('Leeks')
    await expect.element(view.getByRole('insertion')).toHaveTextContent('Basil')
    await userEvent.keyboard('o')
    await expect.element(view.getByRole('insertion')).toHaveTextContent('Basil')
    expect(view.element().querySelector('.prose p ins')?.textContent).toBe('Basil')
    await expectAccessible()
    await screen.getByRole('combobox', { name: notes('against') }).selectOptions('')
    await expect.element(view.getByText('+1')).toBeVisible()
    await screen.getByText(notes('renamedFrom', { path: 'Old questions.md' })).click()
    await expect.element(screen.getByText(notes('beforeUnknown'))).toBeVisible()
  })
})

it('says of a folder that there is none, and shows that it is asked for', async () => {
  const { options } = await openNote('guest')
  const screen = await renderInConsole(<NotesPage />, { ...options, at: '/notes?folder=Nowhere' })
  await expect.element(screen.getByText(notes('noFolderZone'))).toBeVisible()
  await expect.element(screen.getByLabelText(notes('folder'))).toHaveValue('Nowhere')
  await screen.getByRole('button', { name: notes('showAll') }).click()
  await expect.element(screen.getByRole('row').filter({ hasText: 'North bed' })).toBeVisible()
})

it('takes nobody to the line again who looks at the source and comes back', async () => {
  const { page, options } = await openNote('guest')
  const screen = await renderInConsole(page(), { ...options, at: `${options.at}?line=4&find=questions` })
  const block = screen.getByText('Questions.', { exact: true })
  await expect.element(block).toHaveFocus()
  await screen.getByRole('tab', { name: 'Source' }).click()
  await userEvent.keyboard('{ArrowLeft}')
  await expect.element(block).toBeVisible()
  await expect.element(block).not.toHaveFocus()
})
