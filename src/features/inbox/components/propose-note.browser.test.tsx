/** What is being written outlives the session, the dialog and the page. */
import { describe, expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { submitAnswer } from '#contracts/inbox.contract.ts'
import { meView } from '#contracts/session.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { WRONG_PASSWORD } from '#lib/testing/network.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { ProposeNote } from './propose-note.tsx'

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

/** An Inbox that wants to be signed in to, and what it was given. */
function inbox() {
  const state = { signedIn: true, given: [] as string[] }
  const procedures = {
    inbox: router({
      submit: mutation(submitAnswer, (input: { intent: { payload: { text: string } } }) => {
        if (!state.signedIn) throw new Refused('TOKEN_EXPIRED', 'the session has ended')
        state.given.push(input.intent.payload.text)
        return ACCEPTED
      }),
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
