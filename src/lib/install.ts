import { useSyncExternalStore } from 'react'

/** What Chromium sends when the console can be installed as an app; other browsers have a menu of their own for it. */
type InstallEvent = Event & { prompt: () => Promise<unknown> }

let offered: InstallEvent | null = null
const listeners = new Set<() => void>()

function offer(event: InstallEvent | null): void {
  offered = event
  for (const listener of listeners) listener()
}

// It is sent once and early, so it is kept from the moment that this module is loaded.
if (typeof window !== 'undefined') {
  window.addEventListener('beforeinstallprompt', (event) => {
    // The browser's own banner would lie over what is being decided.
    event.preventDefault()
    offer(event as InstallEvent)
  })
  window.addEventListener('appinstalled', () => offer(null))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Asks the browser to install the console; each offer is good for one question. */
function install(): void {
  const event = offered
  offer(null)
  void event?.prompt()
}

/** Installs the console as an app; null while the browser does not offer that. */
export const useInstall = (): (() => void) | null =>
  useSyncExternalStore(
    subscribe,
    () => (offered ? install : null),
    () => null,
  )
