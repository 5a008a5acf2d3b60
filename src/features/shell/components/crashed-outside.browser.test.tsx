import { expect, it, vi } from 'vitest'
import { render } from 'vitest-browser-react'
import { LanguageProvider } from '#lib/i18n/provider.tsx'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { messagesOf } from '../room-messages.ts'
import { CrashedOutside } from './crashed-outside.tsx'

it('says what to report and tries again, without anything of the frame', async () => {
  const reset = vi.fn()
  const error = Object.assign(new Error('lost'), { digest: '1234567890' })
  const screen = await render(
    <LanguageProvider locale="en" messages={messagesOf('en')} now={Date.now()} timeZone="UTC">
      <CrashedOutside error={error} reset={reset} />
    </LanguageProvider>,
  )
  await expect.element(screen.getByText(textsOf('shell')('crashedText'))).toBeVisible()
  await expect.element(screen.getByText('1234567890')).toBeVisible()
  await expectAccessible()
  await screen.getByRole('button', { name: textsOf('ui')('retry') }).click()
  expect(reset).toHaveBeenCalledOnce()
})
