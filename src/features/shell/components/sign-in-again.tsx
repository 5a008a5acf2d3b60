'use client'
import { lazy, useSyncExternalStore } from 'react'
import { useTranslations } from 'use-intl/react'
import { useSession } from '#lib/session.tsx'
import {
  isSessionEnded,
  isSignInAsked,
  requestSignIn,
  settleSignIn,
  subscribeSignIn,
  watchSession,
} from '#lib/sign-in-again.ts'
import { Button } from '#ui/button.tsx'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'

const SignInDialog = lazy(() => import('./sign-in-dialog.tsx').then((m) => ({ default: m.SignInDialog })))

/** The dialog that asks people with an account to sign in again; loaded on first use. Guests come by their zone instead. */
export function SignInAgain() {
  const { role } = useSession()
  return role === 'owner' || role === 'operator' ? <Asking /> : null
}

function Asking() {
  const asked = useSyncExternalStore(subscribeSignIn, isSignInAsked, () => false)
  return asked ? (
    <DialogOnDemand onClose={() => settleSignIn(false)}>
      <SignInDialog />
    </DialogOnDemand>
  ) : null
}

/** Says on the page that the session has ended, for as long as it has. */
export function SessionEnded() {
  const t = useTranslations('shell')
  const { role } = useSession()
  const ended = useSyncExternalStore(watchSession, isSessionEnded, () => false)
  // A guest has no password: the start page says what became of the zone.
  const again = () => (role === 'guest' ? window.location.assign('/') : void requestSignIn())
  if (!ended) return null
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 border-b border-waiting/40 bg-waiting-soft px-4 py-2 text-waiting md:px-8"
    >
      <span className="min-w-0 flex-1">{t('sessionEnded')}</span>
      <Button size="sm" onClick={again}>
        {t('signInAgain')}
      </Button>
    </div>
  )
}
