'use client'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { type Action, ActionRegistry } from './actions.ts'
import { nameOfKey } from './keys.ts'
import { toast } from './toasts.ts'

const Registry = createContext<ActionRegistry | null>(null)
const NONE: readonly Action[] = []

/** Listens for keys for everything below; one per document. */
export function KeyboardProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => new ActionRegistry())
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => answer(registry, event)
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [registry])
  return <Registry value={registry}>{children}</Registry>
}

function answer(registry: ActionRegistry, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  const key = nameOfKey(event)
  if (!key || isInOverlay(event.target) || ownedByTarget(event.target, key)) return
  const scope = document.querySelector('dialog:modal') ? 'dialog' : 'page'
  const action = registry.match(key, event.timeStamp, scope)
  if (!action) return
  event.preventDefault()
  if (action.disabledReason) toast({ tone: 'held', text: action.disabledReason })
  else if (!event.repeat || action.palette === false) action.run()
}

/**
 * A menu or a panel over the page answers its keys itself. It cannot keep them from here: the framework's root is the document, too, so what is
 * stopped there has come here already.
 */
const isInOverlay = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(':popover-open') !== null

/** True when the focused control has its own use for the key. */
function ownedByTarget(target: EventTarget | null, key: string): boolean {
  // A link inside a picture is an element of SVG.
  if (!(target instanceof Element)) return false
  if (key === 'Enter' || key === ' ')
    return target.closest('a,button,summary,input,select,textarea,[role=menuitem],[role=option]') !== null
  // A choice goes to the next one, with whatever modifier.
  if (/Arrow(Up|Down|Left|Right)$/.test(key) && target.closest('input[type=radio]')) return true
  const types =
    (target instanceof HTMLElement && target.isContentEditable) ||
    target.closest('textarea,select,input:not([type=checkbox]):not([type=radio])') !== null
  return types && !key.startsWith('mod+') && key !== 'Escape'
}

/**
 * Registers an act with its key while the component is mounted. `run` may be a new function on every render.
 * Pass `null` for "not now".
 */
export function useAction(action: Action | null): void {
  const registry = useContext(Registry)
  const [token] = useState(() => Symbol('action'))
  const run = useRef(action?.run)
  useEffect(() => {
    run.current = action?.run
  })
  const { id, label, group, scope, disabledReason, palette } = action ?? { id: '', label: '' }
  const keys =
    action?.keys === undefined ? '' : typeof action.keys === 'string' ? action.keys : action.keys.join('\n')
  useEffect(() => {
    if (!registry || !id) return
    registry.set(token, {
      id,
      label,
      run: () => run.current?.(),
      ...(keys ? { keys: keys.split('\n') } : {}),
      ...(group ? { group } : {}),
      ...(scope ? { scope } : {}),
      ...(palette === undefined ? {} : { palette }),
      disabledReason,
    })
    return () => registry.remove(token)
  }, [registry, token, id, label, keys, group, scope, disabledReason, palette])
}

/** Everything that can be done here and now, for the sheet and the palette. */
export function useActions(): readonly Action[] {
  const registry = useContext(Registry)
  return useSyncExternalStore(
    registry?.subscribe ?? noSubscription,
    registry?.list ?? (() => NONE),
    () => NONE,
  )
}
const noSubscription = () => () => undefined
