'use client'
import { createContext, type ReactNode, useContext } from 'react'
import { useTranslations } from 'use-intl/react'
import type { Caller } from '#domain/authority/caller.ts'
import { type Action, may } from '#domain/authority/matrix.ts'
import { useLiveState } from './live.tsx'

/** Who is signed in, as the server reported for this page. What it allows is only shown by it: the server decides every time. */
export type Session = Pick<Caller, 'role' | 'identity' | 'zoneId'>

const SessionContext = createContext<Session>({ role: 'anonymous', identity: 'anonymous' })

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>
}

export const useSession = (): Session => useContext(SessionContext)

/** Undefined when the reader can do it now, else the reason why not: for `disabledReason`. */
export function useRight(action: Action): string | undefined {
  const { role } = useSession()
  const t = useTranslations('ui')
  const offline = useLiveState() === 'offline'
  if (may(role, action)) return offline ? t('offline') : undefined
  return may('operator', action) ? t('onlyOwnerOrOperator') : t('onlyOwner')
}
