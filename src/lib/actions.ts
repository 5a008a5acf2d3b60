/**
 * Every action of the page with its key. Components register while they are mounted (`useAction`); the key listener, the shortcut
 * help (`?`) and the command palette read the same list, so a key that works is a key that is shown.
 *
 * The last one registered wins a key: a dialog or a detail pane takes a key over and gives it back when it goes.
 * While a modal dialog is open only actions of scope `dialog` answer, and inside an open menu or popover none. Typing in a field keeps its
 * letters, `mod+…` and Escape excepted. A disabled action stays in the shortcut help with its reason.
 */
export type Action = {
  id: string
  label: string
  /** One or several equal keys: 'a', 'g i', 'mod+k'. Without a key it is in the palette only. */
  keys?: string | readonly string[]
  run: () => void
  /** Its heading in the shortcut help. */
  group?: string
  scope?: 'page' | 'dialog'
  /** Why it is disabled; pressing the key shows this instead of running it. */
  disabledReason?: string | undefined
  /** False keeps it out of the palette (row movement and the like). */
  palette?: boolean
}

type Listener = () => void
const SEQUENCE_MS = 1_200

export class ActionRegistry {
  readonly #actions = new Map<symbol, Action>()
  readonly #listeners = new Set<Listener>()
  #snapshot: readonly Action[] = []
  #pending = ''
  #pendingAt = 0

  /** Adds or replaces the action under `token`; returns nothing. */
  set(token: symbol, action: Action): void {
    this.#actions.set(token, action)
    this.#publish()
  }

  remove(token: symbol): void {
    this.#actions.delete(token)
    this.#publish()
  }

  subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The actions in the order they were registered; the same array until something changes. */
  list = (): readonly Action[] => this.#snapshot

  /** The action for this key press, given the time in ms; remembers the first half of a sequence. */
  match(key: string, at: number, scope: 'page' | 'dialog'): Action | undefined {
    const sequence = this.#pending && at - this.#pendingAt < SEQUENCE_MS ? `${this.#pending} ${key}` : ''
    this.#pending = ''
    const open = [...this.#actions.values()].filter((a) => (a.scope ?? 'page') === scope).reverse()
    const found = (wanted: string) => open.find((a) => keysOf(a).includes(wanted))
    const hit = (sequence && found(sequence)) || found(key)
    if (!hit && open.some((a) => keysOf(a).some((k) => k.startsWith(`${key} `)))) {
      this.#pending = key
      this.#pendingAt = at
    }
    return hit || undefined
  }

  #publish(): void {
    this.#snapshot = [...this.#actions.values()]
    for (const listener of this.#listeners) listener()
  }
}

/** The keys of an action as a list. */
export const keysOf = (action: Pick<Action, 'keys'>): readonly string[] =>
  action.keys === undefined ? [] : typeof action.keys === 'string' ? [action.keys] : action.keys
