/** A one-time link pasted into a tab that has opened one already: only the fragment of the address changes. */
import { type ReactNode, StrictMode } from 'react'
import { expect, it, onTestFinished } from 'vitest'
import { render } from 'vitest-browser-react'
import { LanguageProvider } from '#lib/i18n/provider.tsx'
import { Address } from '#lib/testing/address.tsx'
import { englishMessages, textsOf } from '#lib/testing/texts.ts'
import { SignInPage } from './sign-in-page.tsx'
import { ZonePage } from './zone-page.tsx'

const t = textsOf('auth')
const FIRST = 'first-token'
const SECOND = 'second-token'
const ZONE = '0a0b0c0d'

/** A server that refuses every token; `sent` is what it was asked to exchange. */
function refuseTokens() {
  const sent: string[] = []
  const real = window.fetch
  onTestFinished(() => {
    window.fetch = real
  })
  window.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { origin, pathname } = new URL(request.url)
    if (pathname === '/api/auth/csrf') return Response.json({ csrfToken: 'csrf' })
    const { token } = await request.json()
    sent.push(token)
    return pathname === '/api/v1/zones/enter'
      ? Response.json({ error: { code: 'ZONE_CODE_INVALID', message: 'no' } }, { status: 401 })
      : Response.json({ url: `${origin}/sign-in?error=CredentialsSignin` }, { status: 401 })
  }
  return sent
}

/** A page at its address, with `FIRST` in the fragment, as the framework shows it in development: every effect twice. */
function openAt(at: string, page: ReactNode) {
  window.history.replaceState(null, '', `#t=${FIRST}`)
  return render(
    <StrictMode>
      <Address start={at}>
        <LanguageProvider locale="en" messages={englishMessages()} now={Date.now()} timeZone="UTC">
          {page}
        </LanguageProvider>
      </Address>
    </StrictMode>,
  )
}

it.each([
  ['signs in', '/sign-in', <SignInPage key="page" />, t('linkExpired')],
  ['enters a zone', `/zone/${ZONE}`, <ZonePage key="page" zoneId={ZONE} terms={null} />, t('codeWrong')],
])('%s by another link after one was refused', async (_, at, page, refusal) => {
  const sent = refuseTokens()
  const screen = await openAt(at, page)
  await expect.element(screen.getByText(refusal)).toBeVisible()
  expect(sent).toEqual([FIRST])
  window.location.hash = `t=${SECOND}`
  await expect.poll(() => sent).toEqual([FIRST, SECOND])
  await expect.element(screen.getByText(refusal)).toBeVisible()
  expect(window.location.hash).toBe('')
})
