import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { ConsoleShell } from '#features/shell/index.ts'
import { readDensity, readTheme } from '#lib/preferences.ts'
import { signedIn } from '../open-page.tsx'

/** Everything behind the door: the shell around every page. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const [{ role, identity, zoneId }, jar] = await Promise.all([signedIn(), cookies()])
  return (
    <ConsoleShell
      session={{ role, identity, ...(zoneId ? { zoneId } : {}) }}
      theme={readTheme(jar.get('theme')?.value)}
      density={readDensity(jar.get('density')?.value)}
    >
      {children}
    </ConsoleShell>
  )
}
