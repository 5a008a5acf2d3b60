/** A note with what stands beside it, and the dialogs that propose more of it. */
import { describe, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ANNOTATION, openNote, PATH } from '../testing/open-note.tsx'

const t = textsOf('inbox')
const notes = textsOf('notes')

describe('a note', () => {
  it('shows its summary and its comments with who, when and by which proposal', async () => {
    const { page, options } = await openNote()
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByText('All in short.')).toBeVisible()
    const comment = screen.getByRole('region', { name: notes('comments') })
    await expect.element(comment.getByText('agent:gardener')).toBeVisible()
    const link = comment.getByRole('link', { name: t('kinds.proposal') })
    await expect.element(link).toHaveAttribute('href', `/proposals/${ANNOTATION.proposal_id}`)
    expect(screen.getByRole('link', { name: 'South' }).elements()).toHaveLength(1)
    await expect.element(screen.getByText('Ask at the Questions first.')).toBeVisible()
    await screen.getByText(notes('leftOut', { n: 3 })).click()
    await expect.element(screen.getByText('c\\d.md')).toBeVisible()
    await expectAccessible()
  })

  it('that is not there says so, and offers the others', async () => {
    const { page, options } = await openNote('guest')
    const screen = await renderInConsole(page('none.md'), options)
    await expect.element(screen.getByText(notes('missing'))).toBeVisible()
    await expect.element(screen.getByRole('alert')).not.toBeInTheDocument()
  })
})

describe('proposing', () => {
  it('tags: what is no tag is said at once; those of the front matter can be taken away', async () => {
    const { given, page, options } = await openNote()
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByText('All in short.')).toBeVisible()
    await userEvent.keyboard('t')
    const field = screen.getByRole('textbox', { name: new RegExp(`^${t('addTags')}`) })
    await field.fill('#domain:execution a.b')
    await expect.element(screen.getByText(t('notATag', { tag: 'a.b' }))).toBeVisible()
    await field.fill('#domain:execution, domain:beds')
    expect(screen.getByRole('checkbox').elements()).toHaveLength(1)
    await screen.getByRole('checkbox', { name: 'domain:beds' }).click()
    await expectAccessible()
    await screen.getByRole('button', { name: t('propose') }).click()
    await expect.element(screen.getByText(t('proposed'))).toBeVisible()
    const payload = { add: ['domain:execution'], remove: ['domain:beds'] }
    expect(given).toEqual([{ action: 'propose-tag', target: `notes/${PATH}`, payload }])
  })

  it('a comment and a summary, each with a draft of its own', async () => {
    const { given, page, options } = await openNote()
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByText('All in short.')).toBeVisible()
    await userEvent.keyboard('c')
    await screen.getByRole('textbox', { name: new RegExp(`^${t('commentText')}`) }).fill('More **water**.')
    await userEvent.keyboard('{Escape}')
    await userEvent.keyboard('s')
    await screen.getByRole('textbox', { name: new RegExp(`^${t('summaryText')}`) }).fill('Short.')
    await screen.getByRole('button', { name: t('propose') }).click()
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    await userEvent.keyboard('c')
    await expect.element(screen.getByRole('textbox')).toHaveValue('More **water**.')
    await screen.getByRole('button', { name: t('propose') }).click()
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    expect(given).toMatchObject([
      { action: 'propose-summary', payload: { text: 'Short.\n' } },
      { action: 'propose-comment', payload: { text: 'More **water**.\n', kind: 'comment' } },
    ])
  })

  it('is the owner’s: an operator and a guest see no buttons', async () => {
    const { page, options } = await openNote('operator')
    const screen = await renderInConsole(page(), options)
    await expect.element(screen.getByText('All in short.')).toBeVisible()
    await expect.element(screen.getByRole('button', { name: t('comment') })).not.toBeInTheDocument()
    await screen.unmount()
    const guest = await renderInConsole(page(), { ...options, role: 'guest' })
    await expect.element(guest.getByText('All in short.')).toBeVisible()
    await expect.element(guest.getByRole('button', { name: t('comment') })).not.toBeInTheDocument()
  })
})
