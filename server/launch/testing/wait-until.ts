import { setTimeout as pause } from 'node:timers/promises'

export type WaitOptions = {
  /** How long the condition may take, in milliseconds (90 000 by default): generous, since it only matters on failure. */
  timeoutMs?: number
  /** What is waited for, for the message. */
  what?: string
}

/**
 * Asks `check` again and again until it gives something truthy, and returns that. An error thrown by `check` counts as
 * "not yet" and fails when the time is up; the first look happens at once.
 */
export async function waitUntil<T>(
  check: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<NonNullable<T>> {
  const { timeoutMs = 90_000, what = 'a condition' } = options
  const deadline = performance.now() + timeoutMs
  let cause: unknown
  for (;;) {
    try {
      cause = undefined
      const value = await check()
      if (value) return value
    } catch (error) {
      cause = error
    }
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause })
    await pause(20)
  }
}
