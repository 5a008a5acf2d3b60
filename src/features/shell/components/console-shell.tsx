'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import { KeepDevice } from '#features/push/index.ts'
import { KeyboardProvider, useActions } from '#lib/keyboard.tsx'
import { LiveProvider, useLiveState } from '#lib/live.tsx'
import { NavigationProvider, useGoingTo } from '#lib/navigation-progress.tsx'
import type { Density, Theme } from '#lib/preferences.ts'
import { type Session, SessionProvider } from '#lib/session.tsx'
import { noteSignedOut } from '#lib/sign-in-again.ts'
import { useOfflineLinks } from '#lib/use-go.ts'
import { Waking } from '#lib/waking.tsx'
import { IconButton } from '#ui/button.tsx'
import { Icon } from '#ui/icon.tsx'
// For what it loads ahead, whatever page comes first.
import '#ui/lazy.tsx'
import { Link } from '#ui/link.tsx'
import { LiveIndicator } from '#ui/live-indicator.tsx'
import { Navigating, NavigationStatus } from '#ui/navigation-progress.tsx'
import { Toaster } from '#ui/toaster.tsx'
import { TooltipLayer } from '#ui/tooltip-layer.tsx'
import { type Appearance, useAppearance } from '../use-appearance.ts'
import { CommandCenter } from './command-center.tsx'
import { HealthDot } from './health-dot.tsx'
import { IdentityMenu } from './identity-menu.tsx'
import { InsecureBanner } from './insecure-banner.tsx'
import { SideNavigation } from './side-navigation.tsx'
import { SessionEnded, SignInAgain } from './sign-in-again.tsx'
import { StepUp } from './step-up.tsx'
import { TabBar } from './tab-bar.tsx'
import { ZoneBanner } from './zone-banner.tsx'

type Props = {
  session: Session
  theme: Theme
  density: Density
  /** What stands below the toasts on every page. */
  tray?: ReactNode
  children: ReactNode
}

/** The start page redirects: to "signed out" for a guest whose zone has ended. */
const leave = () => window.location.assign('/')

/** The frame of every page of the console: navigation, health, stream state, identity, keys, toasts. */
export function ConsoleShell({ session, theme, density, tray, children }: Props) {
  return (
    <SessionProvider session={session}>
      <LiveProvider onSignedOut={session.role === 'guest' ? leave : noteSignedOut}>
        <KeyboardProvider>
          <NavigationProvider>
            <Frame theme={theme} density={density}>
              {children}
            </Frame>
            <CommandCenter />
            <StepUp />
            <SignInAgain />
            <KeepDevice />
            <Toaster>{tray}</Toaster>
            <TooltipLayer />
          </NavigationProvider>
        </KeyboardProvider>
      </LiveProvider>
    </SessionProvider>
  )
}

function Frame({ theme, density, children }: Omit<Props, 'session' | 'tray'>) {
  const t = useTranslations('shell')
  const appearance = useAppearance({ theme, density })
  useOfflineLinks()
  return (
    <div className="pl-[env(safe-area-inset-left)] pr-[env(safe-area-inset-right)] md:grid md:h-dvh md:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:left-3 focus:top-3"
      >
        {t('skip')}
      </a>
      <Waking />
      <Going />
      <NavigationStatus />
      <aside className="relative flex pt-[env(safe-area-inset-top)] flex-col border-line bg-sunken max-md:border-b md:min-h-0 md:border-r">
        <div className="flex h-13 shrink-0 items-center gap-2 px-4 md:mb-3 md:short:mb-0">
          <Link
            quiet
            href="/"
            className="flex min-w-0 flex-1 items-center gap-2 text-md font-semibold tracking-tight text-ink no-underline hover:no-underline"
          >
            <Icon name="sprout" className="size-5 text-accent" />
            {t('product')}
          </Link>
          <HealthDot />
          <span className="flex items-center md:hidden">
            <OpenPalette />
            <IdentityMenu appearance={appearance} />
          </span>
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain max-md:hidden">
          <SideNavigation />
        </div>
        <Foot appearance={appearance} />
      </aside>
      <main
        id="content"
        tabIndex={-1}
        className="relative flex min-w-0 flex-col outline-none max-md:pb-[calc(var(--edge-bar)+1.5rem)] md:min-h-0 md:scroll-pb-(--page-end) md:overflow-y-auto"
      >
        <InsecureBanner />
        <Offline />
        <SessionEnded />
        <ZoneBanner />
        {children}
      </main>
      <TabBar />
    </div>
  )
}

function Going() {
  return useGoingTo() === null ? null : <Navigating />
}

function useRunAction() {
  const actions = useActions()
  return (id: string) => actions.find((a) => a.id === id)?.run()
}

function OpenPalette() {
  const t = useTranslations('shell')
  const run = useRunAction()
  return (
    <IconButton label={`${t('openPalette')} (Ctrl/⌘ K)`} onClick={() => run('shell.palette')}>
      <Icon name="command" />
    </IconButton>
  )
}

function Foot({ appearance }: { appearance: Appearance }) {
  const t = useTranslations('shell')
  const state = useLiveState()
  const run = useRunAction()
  return (
    <div className="grid shrink-0 grid-rows-[2rem_2rem] gap-1 border-t border-line px-2.5 py-2 max-md:hidden">
      <div className="flex items-center justify-between pl-2">
        <LiveIndicator state={state} />
        <span className="flex">
          <OpenPalette />
          <IconButton label={`${t('openShortcuts')} (?)`} onClick={() => run('shell.shortcuts')}>
            <Icon name="circle-question-mark" />
          </IconButton>
        </span>
      </div>
      <IdentityMenu appearance={appearance} />
    </div>
  )
}

function Offline() {
  const t = useTranslations('live')
  if (useLiveState() !== 'offline') return null
  return (
    <p role="alert" className="border-b border-waiting/40 bg-waiting-soft px-4 py-2 text-waiting md:px-8">
      {t('offlineBanner')}
    </p>
  )
}
