'use client'
import { usePathname } from 'next/navigation'
import { lazy, type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import type { Action } from '#lib/actions.ts'
import { useAction, useActions } from '#lib/keyboard.tsx'
import { noteOpened, objectAt } from '#lib/recent-objects.ts'
import { useSession } from '#lib/session.tsx'
import { useGo } from '#lib/use-go.ts'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { NAVIGATION, type Place } from '../navigation.ts'

const Palette = lazy(() => import('#features/search/index.ts').then((m) => ({ default: m.SearchPalette })))
const Shortcuts = lazy(() => import('#ui/shortcut-help.tsx').then((m) => ({ default: m.ShortcutHelp })))

/** The keys that work everywhere: to every page, the command menu (Ctrl/Cmd-K) and the shortcut help (?). */
export function CommandCenter() {
  const t = useTranslations('shell')
  const { role, identity } = useSession()
  const at = usePathname()
  useEffect(() => {
    const opened = objectAt(at)
    if (opened) noteOpened(identity, opened)
  }, [at, identity])
  const [shown, setShown] = useState<'palette' | 'shortcuts' | null>(null)
  const typed = useRef('')
  const close = () => {
    typed.current = ''
    setShown(null)
  }
  useAction({
    id: 'shell.palette',
    label: t('openPalette'),
    keys: 'mod+k',
    run: () => setShown('palette'),
    palette: false,
  })
  useAction({
    id: 'shell.shortcuts',
    label: t('openShortcuts'),
    keys: '?',
    group: t('console'),
    run: () => setShown('shortcuts'),
  })
  const go = useGo()
  const api = {
    id: 'go.api',
    label: t('goTo', { page: t('api') }),
    group: t('go'),
    run: () => go('/api/v1/docs'),
  }
  useAction(may(role, 'settings.read') ? api : null)
  const places = NAVIGATION.flatMap((g) => g.places).filter((p) => may(role, p.right))
  return (
    <>
      {places.map((place) => (
        <GoTo key={place.id} place={place} />
      ))}
      {shown ? (
        <DialogOnDemand onClose={close} {...(shown === 'palette' ? { typed } : {})}>
          <Shown what={shown} close={close} typed={typed} />
        </DialogOnDemand>
      ) : null}
    </>
  )
}

function GoTo({ place }: { place: Place }) {
  const t = useTranslations('shell')
  const go = useGo()
  useAction({
    id: `go.${place.id}`,
    label: t('goTo', { page: t(place.id) }),
    keys: place.keys,
    group: t('go'),
    run: () => go(place.href),
  })
  return null
}

type ShownProps = { what: 'palette' | 'shortcuts'; close: () => void; typed: RefObject<string> }

function Shown({ what, close, typed }: ShownProps) {
  const t = useTranslations('shell')
  const actions = useActions()
  if (what === 'shortcuts')
    return <Shortcuts open onClose={close} title={t('shortcuts')} actions={actions} otherGroup={t('here')} />
  return <Palette actions={inOrder(actions)} typed={typed} onClose={close} />
}

/** The acts of the page before the places, and both before what belongs to the console as a whole. */
function inOrder(actions: readonly Action[]): Action[] {
  const rank = ({ id }: Action) => (id.startsWith('shell.') ? 2 : id.startsWith('go.') ? 1 : 0)
  return actions.toSorted((a, b) => rank(a) - rank(b))
}
