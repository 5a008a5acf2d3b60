'use client'
import { useState, useSyncExternalStore } from 'react'
import { nextToastId } from './toasts.ts'

/**
 * The modal dialogs that are open, the topmost last. The browser makes everything outside the topmost one inert: a message on the page behind it can
 * be neither read aloud nor closed, so messages go inside, and a list behind it keeps the rows that a dialog was opened from.
 */
export type Modal = {
  id: number
  /** The element of the dialog that shows messages. */
  messages: HTMLElement
  /** The first message that came while it was open; earlier ones stay where they are. */
  since: number
  /** It says itself why it was refused, so a failure stays on the page behind it. */
  showsFaults: boolean
}

const NONE: readonly Modal[] = []
let next = 1
let modals = NONE
const listeners = new Set<() => void>()

function publish(now: readonly Modal[]): void {
  modals = now
  for (const listener of listeners) listener()
}

/** Counts a dialog as open until the returned function is called. */
export function openModal(messages: HTMLElement, showsFaults: boolean): () => void {
  const modal = { id: next++, messages, since: nextToastId(), showsFaults }
  publish([...modals, modal])
  return () => publish(modals.filter((one) => one !== modal))
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The open dialogs, the topmost last. */
export const useModals = (): readonly Modal[] =>
  useSyncExternalStore(
    subscribe,
    () => modals,
    () => NONE,
  )

/**
 * The value as it was before a dialog was opened, for as long as one is open; one that is still to come is not waited for. A list that is drawn by it
 * unmounts nothing meanwhile, the opener of the dialog least of all. `value` must be the same object until it changes.
 */
export function useSteady<T>(value: T): T {
  const isOpen = useModals().length > 0
  const [kept, keep] = useState(value)
  if (!isOpen && kept !== value) keep(value)
  return isOpen ? (kept ?? value) : value
}
