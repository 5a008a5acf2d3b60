'use client'
import { usePathname } from 'next/navigation'
import { useEffect, useState } from 'react'

/** Told of each address that is shown. */
const listeners = new Set<(path: string) => void>()

/**
 * Shows a URL of the page that is already open: Back works and the server is not asked. `instead` replaces the entry of the
 * history, so that Back from the tenth of a list leads out of it and not through the other nine.
 */
export function showUrl(href: string, instead = false): void {
  const to = new URL(href, window.location.href)
  // What else of the address changes is the router's to say, and both together.
  const isPathAlone = to.search === window.location.search
  if (instead) window.history.replaceState(null, '', href)
  else window.history.pushState(null, '', href)
  if (isPathAlone) for (const tell of listeners) tell(to.pathname)
}

/**
 * Whether the reader is at this path, and not on the way to another page: asked when an answer comes that leads on. Who has gone on meanwhile
 * stays there, and a page that is on its way would be given up for the address.
 */
export const isStillAt = (path: string): boolean =>
  window.location.pathname === path && document.querySelector('[data-navigating]') === null

type Known = { routed: string; asked: readonly string[] }

/**
 * The path of the page as `showUrl` has it, in the very render of the key that asked for it. The router's own answer comes later, as a
 * transition: one that was asked for here takes back nothing that was asked for after it, and any other is somebody else's and stands.
 */
export function useShownPath(): string {
  const routed = usePathname()
  const [known, setKnown] = useState<Known>({ routed, asked: [] })
  const now = known.routed === routed ? known : arrived(known, routed)
  if (now !== known) setKnown(now)
  useEffect(() => {
    const tell = (path: string) => setKnown((was) => asked(was, path))
    listeners.add(tell)
    return () => void listeners.delete(tell)
  }, [])
  return pathOf(now)
}

const pathOf = ({ routed, asked }: Known): string => asked.at(-1) ?? routed

function asked(was: Known, path: string): Known {
  if (path === pathOf(was)) return was
  // Back at the address that the router has: whatever was asked for in between has been taken back.
  return { ...was, asked: path === was.routed ? [] : [...was.asked, path] }
}

function arrived({ asked }: Known, routed: string): Known {
  const at = asked.indexOf(routed)
  return { routed, asked: at < 0 ? [] : asked.slice(at + 1) }
}
