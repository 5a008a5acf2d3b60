/** What is being written outlives the session, the dialog and the page; it is looked at before it is sent. */
import { useSyncExternalStore } from 'react'
import { describe, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { submitAnswer } from '#contracts/inbox.contract.ts'
import { notePreview } from '#contracts/note-preview.contract.ts'
import { meView } from '#contracts/session.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { WRONG_PASSWORD } from '#lib/testing/network.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { type EditedNote, ProposeNote } from './propose-note.tsx'

const t = textsOf('inbox')
const ui = textsOf('ui')
const shell = textsOf('shell')
const TEXT = 'The hedge wants cutting.'
const NOBODY = { role: 'anonymous', identity: 'anonymous', name: null, stepped_up: false } as const

const ACCEPTED = {
  inbox_id: 'inbox-1',
  status: 'processed',
  resolution: null,
  correlation_id: 'correlation-of-a-test',
  repeated: false,
} as const

type Payload = { text?: string; base_hash?: string; diff?: { text: string } }

/** An Inbox that wants to be signed in to, and what it was given. */
function inbox() {
  const state = { signedIn: true, given: [] as string[], sent: [] as Payload[] }
  const procedures = {
    inbox: router({
      submit: mutation(submitAnswer, ({ intent: { payload } }: { intent: { payload: Payload } }) => {
        if (!state.signedIn) throw new Refused('TOKEN_EXPIRED', 'the session has ended')
        if (payload.text) state.given.push(payload.text)
        state.sent.push(payload)
        return ACCEPTED
      }),
    }),
    notes: router({
      preview: query(notePreview, ({ text }: { text: string }) => ({
        content: { type: 'root', children: [{ type: 'text', value: `As it reads: ${text}` }] },
        reading: false,
      })),
    }),
    sessions: router({
      me: query(meView, () => ({
        ...NOBODY,
        has_password: false,
        expires_at: null,
        zone: null,
        ended: 'TOKEN_EXPIRED',
      })),
    }),
  }
  return { state, procedures }
}

async function open() {
  const { state, procedures } = inbox()
  const screen = await renderInConsole(<ProposeNote />, { procedures, at: '/notes?folder=Ideas' })
  const field = (name: 'path' | 'text' | 'summary') =>
    screen.getByRole('textbox', { name: new RegExp(`^${t(name)}`) })
  const write = async () => {
    await userEvent.keyboard('n')
    await field('path').fill('Ideas/Hedge.md')
    await field('text').fill(TEXT)
    await field('summary').fill('Hedge')
  }
  const again = screen.getByRole('dialog', { name: shell('signInAgain') })
  const signIn = async (password: string) => {
    await again.getByLabelText(shell('password')).fill(password)
    await userEvent.keyboard('{Enter}')
  }
  return { ...screen, state, field, write, again, signIn }
}

describe('a session that ends while one writes', () => {
  it('is signed in again over the page, and the proposal is made', async () => {
    const screen = await open()
    await screen.write()
    screen.state.signedIn = false
    await screen.getByRole('button', { name: t('propose') }).click()
    await expect.element(screen.again).toBeVisible()
    await expectAccessible()
    await screen.signIn(WRONG_PASSWORD)
    await expect.element(screen.again.getByRole('alert')).toBeVisible()
    screen.state.signedIn = true
    await screen.signIn('the right password')
    await expect.element(screen.getByText(t('proposed'))).toBeVisible()
    expect(screen.state.given).toEqual([`${TEXT}\n`])
  })

  it('does not take the page away when the stream tells of it', async () => {
    const screen = await open()
    await screen.write()
    screen.network.endSession()
    await expect.element(screen.again).toBeVisible()
    const way = screen.again.getByRole('link', { name: shell('signInOtherWay') })
    await expect
      .element(way)
      .toHaveAttribute('href', `/sign-in?why=expired&to=${encodeURIComponent('/notes?folder=Ideas')}`)
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.again).not.toBeInTheDocument()
    await expect.element(screen.field('text')).toHaveValue(TEXT)
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.getByText(shell('sessionEnded'))).toBeVisible()
    await expectAccessible()
    await screen.getByRole('button', { name: shell('signInAgain') }).click()
    await screen.signIn('the right password')
    await expect.element(screen.getByText(shell('sessionEnded'))).not.toBeInTheDocument()
    await expect.element(screen.getByText(textsOf('live')('live'))).toBeVisible()
  })
})

describe('a draft', () => {
  it('is there again when the dialog is opened again, until it is discarded', async () => {
    const screen = await open()
    await screen.write()
    await userEvent.keyboard('{Escape}')
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    await userEvent.keyboard('n')
    await expect.element(screen.field('text')).toHaveValue(TEXT)
    await expect.element(screen.getByText(ui('draftRestored'))).toBeVisible()
    await expectAccessible()
    await screen.getByRole('button', { name: ui('draftDiscard') }).click()
    await expect.element(screen.field('text')).toHaveValue('')
  })

  it('is gone once it was sent', async () => {
    const screen = await open()
    await screen.write()
    await screen.getByRole('button', { name: t('propose') }).click()
    await expect.element(screen.getByText(t('proposed'))).toBeVisible()
    await userEvent.keyboard('n')
    await expect.element(screen.field('text')).toHaveValue('')
  })
})

/** A note that somebody else may change while its edit is written. */
function noteOfGarden() {
  let note: EditedNote = { path: 'Beds/North.md', markdown: '# North\n\nLeeks.\n', sha256: 'a'.repeat(64) }
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const change = (markdown: string, digit: string) => {
    note = { ...note, markdown, sha256: digit.repeat(64) }
    for (const listener of listeners) listener()
  }
  const Edit = () => <ProposeNote note={useSyncExternalStore(subscribe, () => note)} />
  return { Edit, change }
}

async function openEdit() {
  const { Edit, change } = noteOfGarden()
  const { state, procedures } = inbox()
  const screen = await renderInConsole(<Edit />, { procedures, at: '/notes/Beds/North.md' })
  await userEvent.keyboard('e')
  const text = screen.getByRole('textbox', { name: new RegExp(`^${t('text')}`) })
  const tab = (name: 'edit' | 'changes' | 'preview') => screen.getByRole('tab', { name: t(name) })
  const view = screen.getByRole('region', { name: 'Beds/North.md' })
  const propose = screen.getByRole('button', { name: t('propose') })
  return { ...screen, state, change, text, tab, view, propose }
}

describe('an edit', () => {
  it('is looked at before it is sent, by keyboard: what it changes, and how it reads', async () => {
    const { state, text, tab, view, propose, ...screen } = await openEdit()
    await expect.element(text).toHaveFocus()
    await userEvent.keyboard('{Shift>}{Tab}{/Shift}{ArrowRight}')
    await expect.element(tab('changes')).toHaveFocus()
    await expect.element(screen.getByRole('tabpanel').getByText(t('unchanged'))).toBeVisible()
    await expect.element(propose).toHaveAccessibleDescription(t('unchanged'))
    await tab('edit').click()
    await text.fill('# North\n\nLeeks and garlic.')
    await tab('changes').click()
    await expect.element(view.getByRole('deletion')).toHaveTextContent('Leeks.')
    await expect.element(view.getByRole('insertion')).toHaveTextContent('Leeks and garlic.')
    await expectAccessible()
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(screen.getByText(/As it reads: # North/)).toBeVisible()
    await screen.getByRole('textbox', { name: new RegExp(`^${t('summary')}`) }).fill('Garlic, too')
    await userEvent.keyboard('{Escape}e')
    await expect.element(text).toHaveValue('# North\n\nLeeks and garlic.')
    await tab('changes').click()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.getByText(t('proposed'))).toBeVisible()
    const diff = { type: 'replace', text: '# North\n\nLeeks and garlic.\n' }
    expect(state.sent).toMatchObject([{ base_hash: 'a'.repeat(64), diff }])
  })

  it('of a note that changed meanwhile is compared with it first, and bound to what was compared', async () => {
    const { state, change, text, tab, view, propose, ...screen } = await openEdit()
    await text.fill('# North\n\nGarlic.\n')
    await screen.getByRole('textbox', { name: new RegExp(`^${t('summary')}`) }).fill('Garlic')
    change('# North\n\nLeeks.\n\nWatered on Mondays.\n', 'b')
    await expect.element(screen.getByText(t('noteMoved'))).toBeVisible()
    await expect.element(propose).toHaveAccessibleDescription(t('noteMovedFirst'))
    await text.click()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expectAccessible()
    expect(state.sent).toEqual([])
    await screen.getByRole('button', { name: t('takeCurrent') }).click()
    await expect.element(tab('changes')).toHaveFocus()
    await expect.element(view.getByText('Watered on Mondays.')).toBeVisible()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(screen.getByText(t('proposed'))).toBeVisible()
    expect(state.sent).toMatchObject([{ base_hash: 'b'.repeat(64) }])
  })

  it('that is not begun goes on from the text of the note as it is now', async () => {
    const { change, text, propose, ...screen } = await openEdit()
    change('# North\n\nTulips.\n', 'c')
    await screen.getByRole('button', { name: t('takeCurrent') }).click()
    await expect.element(text).toHaveFocus()
    await expect.element(text).toHaveValue('# North\n\nTulips.\n')
    await expect.element(propose).toHaveAccessibleDescription(t('unchanged'))
  })
})
