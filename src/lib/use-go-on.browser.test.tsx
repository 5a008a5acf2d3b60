import { useState } from 'react'
import { expect, it } from 'vitest'
import { NavigationLine } from '#ui/navigation-progress.tsx'
import { renderInConsole } from './testing/render-in-console.tsx'
import { textsOf } from './testing/texts.ts'
import { useGoOn } from './use-go-on.ts'

const open = textsOf('ui')('open')
const MADE = '/jobs/2'

/** A form that has been sent from the page of job 1, and whose answer comes when `answer` is called. */
async function sentForm(href: string | null = MADE) {
  let answer: () => void = () => undefined
  let begin: () => void = () => undefined
  function Form() {
    const goOn = useGoOn()
    begin = goOn.begin
    answer = () => goOn.to(href, 'Created')
    return null
  }
  function Page() {
    const [state, setState] = useState<'open' | 'closed' | 'leaving'>('open')
    return (
      <>
        {state === 'closed' ? null : <Form />}
        {state === 'leaving' ? <NavigationLine /> : null}
        <button type="button" onClick={() => setState('closed')}>
          Close form
        </button>
        <button type="button" onClick={() => setState('leaving')}>
          Leave
        </button>
      </>
    )
  }
  const screen = await renderInConsole(<Page />, { at: '/jobs/1' })
  await expect.poll(() => window.location.pathname).toBe('/jobs/1')
  begin()
  return {
    answer: () => answer(),
    press: (name: string) => screen.getByRole('button', { name }).click(),
    toast: screen.getByText('Created'),
    link: screen.getByRole('link', { name: open, exact: true }),
  }
}

it('opens what was made for a reader who waits for it', async () => {
  const { answer, toast, link } = await sentForm()
  answer()
  await expect.poll(() => window.location.pathname).toBe(MADE)
  await expect.element(toast).toBeVisible()
  expect(link.query()).toBeNull()
})

it.each([
  ['who is on another page', async () => window.history.pushState(null, '', '/notes'), '/notes'],
  ['who has closed the form', (press: (name: string) => Promise<void>) => press('Close form'), '/jobs/1'],
  ['who is on the way elsewhere', (press: (name: string) => Promise<void>) => press('Leave'), '/jobs/1'],
])('links to it for a reader %s', async (_, goesOn, path) => {
  const { answer, press, toast, link } = await sentForm()
  await goesOn(press)
  answer()
  await expect.element(toast).toBeVisible()
  await expect.element(link).toHaveAttribute('href', MADE)
  expect(window.location.pathname).toBe(path)
  await link.click()
  await expect.poll(() => window.location.pathname).toBe(MADE)
})

it('says no more than that it is done where nothing has a page', async () => {
  const { answer, toast, link } = await sentForm(null)
  answer()
  await expect.element(toast).toBeVisible()
  expect(link.query()).toBeNull()
  expect(window.location.pathname).toBe('/jobs/1')
})
