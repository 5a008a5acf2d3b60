/**
 * A session that ends while a page is open. The page stays with everything on it: the shell asks for the password in a dialog over
 * it, and the action that was refused is repeated. Whoever closes the dialog is asked again by the next action or by the bar that
 * then stands on the page; reads in the background do not ask twice.
 */
import { isSignedOut, toFault } from './fault.ts'
import { makeQuestion } from './question.ts'

const question = makeQuestion()
let ended = false
const watchers = new Set<() => void>()
const renewed = new Set<() => void>()

/** True while the dialog is open. */
export const isSignInAsked = question.isAsked
/** Where the dialog listens; only one does. */
export const subscribeSignIn = question.subscribe

/** True from the end of the session until it is signed in again. */
export const isSessionEnded = (): boolean => ended

/** Called when the session ends and when it is there again. */
export function watchSession(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Called when the session is there again, so that what failed without it is read once more. */
export function onSignedInAgain(listener: () => void): () => void {
  renewed.add(listener)
  return () => renewed.delete(listener)
}

function become(now: boolean): void {
  if (ended === now) return
  ended = now
  for (const watcher of watchers) watcher()
  if (!now) for (const listener of renewed) listener()
}

/** Closes the dialog: `given` tells whether the sign-in was accepted. */
export function settleSignIn(given: boolean): void {
  if (given) become(false)
  question.settle(given)
}

/** Asks for the sign-in; false when it was dismissed, or where no dialog can ask. */
export function requestSignIn(): Promise<boolean> {
  become(true)
  return question.request()
}

/** Something in the background found the session ended: asks, unless that has been dismissed. */
export function noteSignedOut(): void {
  if (!ended) void requestSignIn()
}

/** Does the work; when the session has ended, asks for the sign-in and repeats it. Dismissing the dialog rethrows the refusal. */
export async function withSignIn<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isSignedOut(toFault(error)) || !(await requestSignIn())) throw error
    return work()
  }
}

/** The sign-in page that leads back to this very page, filters included. */
export const signInHref = (): string =>
  `/sign-in?why=expired&to=${encodeURIComponent(window.location.pathname + window.location.search)}`
