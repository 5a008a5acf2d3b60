/** Keys as the framework has it: React listens on the document, on the same node as the keys of the page. */
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { Menu } from '#ui/menu.tsx'
import { Popover } from '#ui/popover.tsx'
import { LanguageProvider } from './i18n/provider.tsx'
import { KeyboardProvider, useAction } from './keyboard.tsx'
import { englishMessages } from './testing/texts.ts'

const act = vi.fn()
const close = vi.fn()
const ITEMS = ['First', 'Second'].map((label) => ({ id: label, label, run: close }))

function Page({ anchor }: { anchor?: HTMLElement }) {
  useAction({ id: 'act', label: 'Approve', keys: ['a', 'mod+k', 'Escape'], run: act })
  return (
    <main>
      <Menu label="More" items={ITEMS}>
        More
      </Menu>
      {anchor ? (
        <Popover anchor={anchor} title="Source" onClose={close}>
          <p>Beans climb the sunflower.</p>
        </Popover>
      ) : null}
    </main>
  )
}

/** The whole document is React's, as where a page of the server is taken over. */
function show(anchor?: HTMLElement) {
  root.render(
    <html lang="en">
      <head />
      <body>
        <LanguageProvider locale="en" messages={englishMessages()} now={Date.now()} timeZone="UTC">
          <KeyboardProvider>
            <Page {...(anchor ? { anchor } : {})} />
          </KeyboardProvider>
        </LanguageProvider>
      </body>
    </html>,
  )
}

let root: ReturnType<typeof createRoot>
beforeEach(() => {
  root = createRoot(document)
  show()
})
afterEach(() => {
  root.unmount()
  vi.clearAllMocks()
})

it('leaves every key to an open menu, and takes them up again when it is closed', async () => {
  const more = page.getByRole('button', { name: 'More' })
  await more.click()
  const item = (name: string) => page.getByRole('menuitem', { name })
  await expect.element(item('First')).toHaveFocus()
  await userEvent.keyboard('a{Control>}k{/Control}{ArrowDown}a')
  await expect.element(item('Second')).toHaveFocus()
  await userEvent.keyboard('{Escape}')
  await expect.element(item('First')).not.toBeInTheDocument()
  await expect.element(more).toHaveFocus()
  expect(act).not.toHaveBeenCalled()
  await userEvent.keyboard('a')
  expect(act).toHaveBeenCalledOnce()
})

it('leaves every key to an open panel, but not those of the page beside it', async () => {
  const more = page.getByRole('button', { name: 'More' })
  await expect.element(more).toBeVisible()
  show(more.element() as HTMLElement)
  await expect.element(page.getByRole('dialog', { name: 'Source' })).toHaveFocus()
  await userEvent.keyboard('a{Control>}k{/Control}')
  await userEvent.keyboard('{Escape}')
  expect(close).toHaveBeenCalledOnce()
  expect(act).not.toHaveBeenCalled()
  await expect.element(more).toHaveFocus()
  await userEvent.keyboard('a')
  expect(act).toHaveBeenCalledOnce()
})
