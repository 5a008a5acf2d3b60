/** A component inside the real frame of the console: navigation, keys, stream, messages, in front of procedures of the test. */
import type { ReactNode } from 'react'
import { onTestFinished } from 'vitest'
import { render } from 'vitest-browser-react'
import { ConsoleShell } from '#features/shell/index.ts'
import { messagesOf } from '#features/shell/room-messages.ts'
import { LanguageProvider } from '../i18n/provider.tsx'
import type { Session } from '../session.tsx'
import { settleSignIn } from '../sign-in-again.ts'
import { currentToasts, dismiss } from '../toasts.ts'
import { ServerProvider } from '../trpc.tsx'
import { forgetDrafts } from '../use-draft.ts'
import { Address } from './address.tsx'
import { openNetwork } from './network.ts'
import { type Procedures, router } from './procedures.ts'
import { NO_VIEWS, SYSTEM } from './system-answers.ts'

type Options = {
  procedures?: Record<string, Procedures>
  at?: string
  role?: Session['role']
  /** What the layout puts below the toasts. */
  tray?: ReactNode
}

/** Renders `children` as the content of a page at the address `at`, for the owner unless another role is named. */
export async function renderInConsole(children: ReactNode, options: Options = {}) {
  const { procedures = {}, at = '/inbox', role = 'owner', tray } = options
  const network = openNetwork(router({ system: SYSTEM, views: NO_VIEWS, ...procedures }))
  const screen = await render(
    <Address start={at}>
      <LanguageProvider locale="en" messages={messagesOf('en')} now={Date.now()} timeZone="UTC">
        <ServerProvider>
          <ConsoleShell
            session={{ role, identity: role } as Session}
            theme="system"
            density="comfortable"
            tray={tray}
          >
            {children}
          </ConsoleShell>
        </ServerProvider>
      </LanguageProvider>
    </Address>,
  )
  onTestFinished(async () => {
    await screen.unmount()
    for (const { id } of currentToasts()) dismiss(id)
    settleSignIn(true)
    forgetDrafts()
    network.restore()
  })
  return { ...screen, network }
}
