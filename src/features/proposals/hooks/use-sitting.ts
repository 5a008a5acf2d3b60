'use client'
import { useMemo, useSyncExternalStore } from 'react'
import { useNow } from '#lib/clock.tsx'
import { keepIn, readFrom } from '#lib/kept.ts'
import {
  asSitting,
  current,
  type Outcome,
  type Sitting,
  type Tally,
  tallyOf,
  withDecision,
  withFailure,
  withoutDecision,
} from '../sitting.ts'

/** Kept by the tab, so that a reload goes on with the same sitting; named as a draft, so that signing out removes it. */
const KEY = 'draft:proposals.sitting'
let read = false
let sitting: Sitting | null = null
const listeners = new Set<() => void>()

function now(): Sitting | null {
  if (!read) sitting = asSitting(readFrom('session', KEY))
  read = true
  return sitting
}

function change(next: Sitting | null): void {
  if (next === now()) return
  sitting = next
  keepIn('session', KEY, next)
  for (const listener of listeners) listener()
}

export const noteOutcome = (id: string, outcome: Outcome): void =>
  change(withDecision(now(), { id, outcome, at: Date.now() }))
export const forgetOutcome = (id: string): void => change(withoutDecision(now(), id))
export const noteFailure = (id: string): void => change(withFailure(now(), id))

/** Reads the sitting again from the tab; for tests, each of which is a tab of its own. */
export function invalidateSitting(): void {
  read = false
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** What was decided in this sitting; null when nothing was, or half an hour ago. */
export function useSitting(): Tally | null {
  const kept = useSyncExternalStore(subscribe, now, () => null)
  const going = current(kept, useNow(60_000))
  return useMemo(() => (going ? tallyOf(going) : null), [going])
}
