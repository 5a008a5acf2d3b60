import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'

import { LanguageProvider } from '#lib/i18n/provider.tsx'
import { KeyboardProvider } from '#lib/keyboard.tsx'
import { Address } from '#lib/testing/address.tsx'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { englishMessages } from '#lib/testing/texts.ts'
import { currentToasts, dismiss } from '#lib/toasts.ts'
import { Toaster } from '#ui/toaster.tsx'
import type { SpecimenState } from './specimen.ts'
import { SPECIMENS } from './specimens.ts'

/** Opens what its buttons open; a closed one is told by nothing that could be pressed twice. */
function press(root: Element): void {
  for (const button of root.querySelectorAll('button')) button.click()
}

async function show({ Show, press: pressed }: SpecimenState) {
  const screen = await render(
    <Address start="/design">
      <LanguageProvider locale="en" messages={englishMessages()} now={Date.now()} timeZone="UTC">
        <KeyboardProvider>
          <main>
            <Show />
          </main>
          <Toaster />
        </KeyboardProvider>
      </LanguageProvider>
    </Address>,
  )
  if (pressed) press(screen.getByRole('main').element())
  return screen
}

let said: MockInstance<typeof console.error>
beforeEach(() => {
  said = vi.spyOn(console, 'error')
})
afterEach(() => {
  said.mockRestore()
  for (const { id } of currentToasts()) dismiss(id)
})

describe.each(SPECIMENS)('$name', ({ states }) => {
  it.each(states)('$name: no accessibility fault, light or dark, and no error', async (state) => {
    await show(state)
    await expectAccessible()
    expect(said.mock.calls).toEqual([])
  })
})

describe('on a phone', () => {
  beforeEach(() => page.viewport(390, 844))
  afterEach(() => page.viewport(1280, 800))

  it.each(SPECIMENS)('$name is not wider than the screen', async ({ states }) => {
    for (const state of states.filter(({ modal }) => !modal)) {
      const screen = await show(state)
      expect(document.documentElement.scrollWidth, state.name).toBeLessThanOrEqual(390)
      await screen.unmount()
    }
  })
})

it('shows every component of the design system', () => {
  const components = Object.keys(import.meta.glob(['/src/ui/*.tsx', '!**/*.test.tsx'])).map((path) =>
    path.slice('/src/ui/'.length),
  )
  const shown = new Set([...SPECIMENS.flatMap(({ of }) => of)])
  expect(components.filter((file) => !shown.has(file))).toEqual([])
})
