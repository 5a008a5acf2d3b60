'use client'
import { createContext, type ReactNode, useContext } from 'react'
import { useTranslations } from 'use-intl/react'
import type { Caller } from '#domain/authority/caller.ts'
import { type Action, may } from '#domain/authority/matrix.ts'

/** Who is signed in, as the server told this page. What it allows is only shown by it: the server decides every time. */
export type Session = Pick<Caller, 'role' | 'identity' | 'zoneId'>

const SessionContext = createContext<Session>({ role: 'anonymous', identity: 'anonymous' })

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>
}

export const useSession = (): Session => useContext(SessionContext)

/** Nothing when the reader may do it, else the sentence that says who may: for `disabledReason`. */
export function useRight(action: Action): string | undefined {
  const { role } = useSession()
  const t = useTranslations('ui')
  if (may(role, action)) return undefined
  return may('operator', action) ? t('onlyOwnerOrOperator') : t('onlyOwner')
}
