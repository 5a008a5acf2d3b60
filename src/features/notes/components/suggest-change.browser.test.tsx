import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { openNote } from '../testing/open-note.tsx'

const notes = textsOf('notes')

it('quotes what is selected now, not what an earlier suggestion quoted', async () => {
  const { page, options } = await openNote('guest')
  const screen = await renderInConsole(page(), options)
  const suggest = screen.getByRole('button', { name: notes('suggest') })
  const dialog = screen.getByRole('dialog')
  const select = async (words: string) => {
    const passage = screen.getByText(words, { exact: true })
    await expect.element(passage).toBeVisible()
    const text = passage.element().firstChild
    if (text) window.getSelection()?.setBaseAndExtent(text, 0, text, words.length)
  }
  const quoted = async (text: string) => {
    await expect.element(dialog.getByRole('blockquote')).toHaveTextContent(text)
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
  }
  await select('Questions.')
  await suggest.click()
  await quoted('Questions.')
  await select('Water it more.')
  await userEvent.keyboard('s')
  await quoted('Water it more.')
  await select('Questions.')
  await suggest.click()
  await quoted('Questions.')
  suggest.element().focus()
  await select('All in short.')
  await userEvent.keyboard('{Enter}')
  await quoted('All in short.')
})

it('keeps what a guest writes when the zone stops to take it, and says so when it is sent', async () => {
  const { page, options, stopSuggestions, meReads, given } = await openNote('guest')
  const screen = await renderInConsole(page(), options)
  const suggest = screen.getByRole('button', { name: notes('suggest') })
  await suggest.click()
  const dialog = screen.getByRole('dialog')
  const text = dialog.getByRole('textbox')
  await text.fill('Water it less.')
  stopSuggestions()
  const before = meReads()
  // After it everything is read again.
  screen.network.publish({ id: '1', topic: 'reset', resource: { type: 'stream', id: '1' } })
  await expect.poll(meReads).toBeGreaterThan(before)
  await dialog.getByRole('button', { name: notes('sendSuggestion') }).click()
  const refusal = textsOf('errors')('SUGGESTIONS_OFF')
  await expect.element(dialog.getByRole('alert').getByText(refusal)).toBeVisible()
  await expect.element(text).toHaveValue('Water it less.')
  expect(given).toEqual([])
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(suggest).not.toBeInTheDocument()
})
