/** The short messages at the edge of the page. A store of its own, so that anything may speak: a key, a mutation, the stream. */
export type Tone = 'waiting' | 'working' | 'done' | 'failed' | 'dead' | 'held'

export type Toast = {
  id: number
  tone: Tone
  text: string
  detail?: string
  correlationId?: string
  action?: { label: string; keys?: string; run: () => void }
  link?: { label: string; href: string }
  /** Shown for this long; a failure stays until it is closed. */
  ms?: number
}

let next = 1
let shown: readonly Toast[] = []
const listeners = new Set<() => void>()
const timers = new Map<number, ReturnType<typeof setTimeout>>()
const MAX_SHOWN = 4

const isFailed = ({ tone }: Toast): boolean => tone === 'failed'
/** Each refusal has a link of its own. */
const isSame = (one: Toast, { text, link }: Omit<Toast, 'id'>): boolean =>
  one.text === text && one.link?.href === link?.href

/** What goes by itself makes room for what failed, but the latest of it is always shown. */
function withRoom(toasts: readonly Toast[]): readonly Toast[] {
  const failed = toasts.filter(isFailed).slice(-MAX_SHOWN)
  const room = Math.max(1, MAX_SHOWN - failed.length)
  const others = toasts.filter((t) => !isFailed(t)).slice(-room)
  return toasts.filter((t) => failed.includes(t) || others.includes(t))
}

function publish(toasts: readonly Toast[]): void {
  shown = toasts
  for (const listener of listeners) listener()
}

/**
 * Shows a message and returns its id; the one that it `replaces` goes. Failures stay until dismissed, the latest four of them; others go after
 * 5 s unless `ms` says otherwise.
 */
export function toast({ replaces, ...message }: Omit<Toast, 'id'> & { replaces?: number }): number {
  const id = next++
  const kept = shown.filter((t) => !isSame(t, message) && t.id !== replaces)
  publish(withRoom([...kept, { ...message, id }]))
  const ms = message.ms ?? (message.tone === 'failed' ? undefined : 5_000)
  if (ms !== undefined)
    timers.set(
      id,
      setTimeout(() => dismiss(id), ms),
    )
  return id
}

/** Takes a message away; unknown ids are ignored. */
export function dismiss(id: number): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  publish(shown.filter((t) => t.id !== id))
}

export const subscribeToasts = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
/** The id of the next message: each has a greater one than those before it. */
export const nextToastId = (): number => next
/** True while the message is on the page. */
export const isShown = (id: number): boolean => shown.some((t) => t.id === id)
export const currentToasts = (): readonly Toast[] => shown
