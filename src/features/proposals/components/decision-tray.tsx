'use client'
import { loadedLater } from '#lib/loaded-later.tsx'

/** What follows decisions on every page of the console: the approvals that can still be undone, and those that could not be applied. */
export const DecisionTray = loadedLater(() =>
  import('./decisions-followed.tsx').then((m) => m.DecisionsFollowed),
)
