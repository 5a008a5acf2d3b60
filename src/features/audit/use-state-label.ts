'use client'
import { useTranslations } from 'use-intl/react'
import './messages.ts'

/** The rooms whose state machine has labels, by the resource type of their events. */
const ROOMS: Record<string, string> = {
  agent: 'agents',
  alert: 'alerts',
  inbox: 'inbox',
  job: 'jobs',
  proposal: 'proposals',
  run: 'runs',
  zone: 'zones',
}

/** The label of a state, the same as in its room's lists; a state without one is shown by its code. */
export function useStateLabel(): (type: string, state: string) => string {
  const t = useTranslations()
  return (type, state) => {
    const key = `${ROOMS[type] ?? type}.state.${state}` as 'jobs.state.DEAD'
    return t.has(key) ? t(key) : state
  }
}

type Transition = { from: string | null; to: string | null; type: string }

/** "Approved → Applying", by the labels of the room; a state that an event leaves as it is stands once. */
export function useTransitionLabel(): (transition: Transition) => string {
  const label = useStateLabel()
  return ({ from, to, type }) =>
    [from === to ? null : from, to].flatMap((state) => (state ? [label(type, state)] : [])).join(' → ')
}
