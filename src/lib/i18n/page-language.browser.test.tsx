/** The messages of a page: those that are there at once, and those of a language that is chosen later. */
import { Component, type ReactNode, Suspense, startTransition, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { render } from 'vitest-browser-react'
import { messagesOf } from '#features/shell/room-messages.ts'
import { catalogueScript, keepCatalogue } from './catalogue.ts'
import type { Locale } from './locales.ts'
import { PageLanguage } from './page-language.tsx'

const Word = () => <p>{useTranslations('ui')('retry')}</p>

const page = (locale: Locale, catalogue: string, children: ReactNode = <Word />) => (
  <PageLanguage locale={locale} catalogue={catalogue} now={Date.now()} timeZone="UTC">
    {children}
  </PageLanguage>
)

/** Every script of a catalogue is answered by this one; null is a network that fails. */
function answerScripts(answer: () => string | null) {
  const append = vi.spyOn(document.head, 'append').mockImplementation((script) => {
    const { src } = script as HTMLScriptElement
    const text = answer()
    asked.push(new URL(src).pathname)
    if (text === null) (script as HTMLScriptElement).onerror?.(new Event('error'))
    else {
      new Function(text)()
      ;(script as HTMLScriptElement).onload?.(new Event('load'))
    }
  })
  const asked: string[] = []
  onTestFinished(() => append.mockRestore())
  return asked
}

it('messages that are there are drawn at once', async () => {
  const asked = answerScripts(() => null)
  keepCatalogue('en-there', messagesOf('en'))
  const screen = await render(page('en', 'en-there'))
  expect(screen.container.textContent).toBe('Retry')
  expect(asked).toEqual([])
})

it('a language that is chosen is loaded once, and the one before stays until then', async () => {
  keepCatalogue('en-first', messagesOf('en'))
  const asked = answerScripts(() => catalogueScript('uk-later', messagesOf('uk')))
  let choose = () => {}
  function Page() {
    const [isLater, setLater] = useState(false)
    choose = () => startTransition(() => setLater(true))
    return page(isLater ? 'uk' : 'en', isLater ? 'uk-later' : 'en-first')
  }
  const screen = await render(
    <Suspense fallback="nothing">
      <Page />
    </Suspense>,
  )
  const seen: (string | null)[] = []
  const watcher = new MutationObserver(() => seen.push(screen.container.textContent))
  watcher.observe(screen.container, { childList: true, subtree: true, characterData: true })
  choose()
  await expect.poll(() => screen.container.textContent).toBe('Повторити')
  expect(seen).not.toContain('nothing')
  expect(asked).toEqual(['/messages/uk-later.js'])
})

class Caught extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }
  static getDerivedStateFromError = () => ({ failed: true })
  override render = () => (this.state.failed ? 'failed' : this.props.children)
}

it('messages that cannot be loaded are an error of the page, and asked for once', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => void vi.restoreAllMocks())
  const asked = answerScripts(() => null)
  const screen = await render(<Caught>{page('en', 'en-gone')}</Caught>)
  await expect.poll(() => screen.container.textContent).toBe('failed')
  expect(asked).toEqual(['/messages/en-gone.js'])
})
