/** What is said while a dialog is open is said inside it: the page behind is inert, for the pointer and for assistive technology. */
import { useState } from 'react'
import { expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { toast } from '#lib/toasts.ts'
import { Button } from './button.tsx'
import { Confirm } from './confirm.tsx'
import { Dialog } from './dialog.tsx'
import { TextArea } from './fields.tsx'
import { Form } from './form.tsx'

const t = textsOf('ui')
const EARLIER = 'Something else failed before.'
const REFUSED = 'The bed is being dug up.'
const COPIED = 'Copied the bed.'

/** A tall form whose refusals are toasts, as those of most forms are. */
function Page() {
  const [open, setOpen] = useState(false)
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Edit sample</Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Edit it">
        <Form
          onSubmit={() => toast({ tone: 'failed', text: REFUSED, correlationId: 'correlation-of-a-test' })}
        >
          <TextArea label="Text" value="" onChange={() => undefined} rows={40} autoFocus />
          <div className="mt-5 flex justify-end gap-2">
            <Button onClick={() => toast({ tone: 'done', text: COPIED })}>Copy</Button>
            <Button onClick={() => setAsking(true)}>Send</Button>
            <Button type="submit">Save</Button>
          </div>
        </Form>
        <Confirm
          open={asking}
          onClose={() => setAsking(false)}
          title="Really?"
          confirmLabel="Really save"
          onConfirm={async () => {
            toast({ tone: 'failed', text: REFUSED })
            throw new Error(REFUSED)
          }}
        />
      </Dialog>
    </>
  )
}

async function open() {
  const screen = await renderInConsole(<Page />)
  toast({ tone: 'failed', text: EARLIER })
  await screen.getByRole('button', { name: 'Edit sample' }).click()
  const dialog = screen.getByRole('dialog', { name: 'Edit it' })
  await expect.element(dialog).toBeVisible()
  const button = (name: string) => dialog.getByRole('button', { name, exact: true })
  return { ...screen, dialog, button }
}

it.each([
  ['a desk', 1280, 800],
  ['a phone', 390, 844],
])(
  'shows in the open dialog why it was refused, where that can be closed, on %s',
  async (_, width, height) => {
    await page.viewport(width, height)
    onTestFinished(() => page.viewport(1280, 800))
    const { dialog, button, ...screen } = await open()
    await button('Save').click()
    const alert = dialog.getByRole('alert')
    await expect.element(alert.getByText(REFUSED)).toBeInViewport()
    const { left, top, width: wide, height: high } = alert.element().getBoundingClientRect()
    const seen = document.elementFromPoint(left + wide / 2, top + high / 2)
    expect(alert.element().contains(seen), 'it lies above everything else').toBe(true)
    await button('Save').click()
    await expect.element(dialog.getByText(EARLIER)).not.toBeInTheDocument()
    await expectAccessible()
    await alert.getByRole('button', { name: t('closeMessage') }).click()
    await expect.element(alert).not.toBeInTheDocument()
    await expect.element(dialog).toBeVisible()
    await button('Save').click()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
    await expect.element(screen.getByRole('alert').filter({ hasText: REFUSED })).toBeVisible()
    await expect.element(screen.getByRole('alert').filter({ hasText: EARLIER })).toBeVisible()
  },
)

it('says there what was done as well, and moves nothing for it', async () => {
  const { dialog, button } = await open()
  const region = () => dialog.element().querySelector('[aria-live=polite]')
  expect(region()?.textContent).toBe('')
  const before = dialog.element().getBoundingClientRect().height
  await button('Copy').click()
  const said = dialog.getByText(COPIED)
  await expect.element(said).toBeInViewport()
  expect(region()?.contains(said.element())).toBe(true)
  expect(dialog.element().getBoundingClientRect().height).toBe(before)
  await dialog.getByRole('button', { name: t('closeMessage') }).click()
  await expect.element(said).not.toBeInTheDocument()
  await expect.element(dialog).toBeVisible()
})

it('says once why a confirmation was refused, and leaves the toast to what opened it', async () => {
  const { dialog, button, ...screen } = await open()
  await button('Send').click()
  const question = screen.getByRole('dialog', { name: 'Really?' })
  await question.getByRole('button', { name: 'Really save' }).click()
  await expect.element(question.getByRole('alert')).toBeVisible()
  expect(question.getByRole('alert').elements()).toHaveLength(1)
  await userEvent.keyboard('{Escape}')
  await expect.element(question).not.toBeInTheDocument()
  await expect.element(dialog.getByRole('alert').getByText(REFUSED)).toBeVisible()
})
