import { HydrationBoundary } from '@tanstack/react-query'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { DecisionTray } from '#features/proposals/index.ts'
import { ConsoleShell } from '#features/shell/index.ts'
import { readDensity, readTheme } from '#lib/preferences.ts'
import { ServerProvider } from '#lib/trpc.tsx'
import { openPage } from '../open-page.tsx'

/**
 * The shell around every page of the console. What the shell itself shows (counts, health) is read here, so
 * that the first paint has it and a page that shows the same starts from the same.
 *
 * There is no `loading.tsx` below: React leaves a skeleton that was painted for 300 ms, and most pages are there within 100. Until then the page
 * before stays, and the link and a line at the top show that the next is on its way.
 */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const [frame, jar] = await Promise.all([openPage('health.read'), cookies()])
  await Promise.all([
    frame.prefetch(frame.trpc.system.counts.queryOptions()),
    frame.prefetch(frame.trpc.system.health.queryOptions()),
  ])
  const { role, identity, zoneId } = frame.caller
  return (
    <ServerProvider>
      <HydrationBoundary state={frame.state()}>
        <ConsoleShell
          session={{ role, identity, ...(zoneId ? { zoneId } : {}) }}
          theme={readTheme(jar.get('theme')?.value)}
          density={readDensity(jar.get('density')?.value)}
          tray={<DecisionTray />}
        >
          {children}
        </ConsoleShell>
      </HydrationBoundary>
    </ServerProvider>
  )
}
