import type { InboxFilter } from '#contracts/inbox.contract.ts'
import { type InboxState, inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { isDay } from '#domain/kernel/days.ts'

export const INBOX_FILTERS = ['status', 'q', 'from', 'to'] as const

/** The list's input from the URL; the server and the browser build it alike. */
export function inboxInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Omit<InboxFilter, 'limit'> {
  const { status, q, from, to } = values
  const known = (inboxMachine.states as readonly string[]).includes(status ?? '')
  return {
    ...(known ? { status: status as InboxState } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
    ...(from && isDay(from) ? { from } : {}),
    ...(to && isDay(to) ? { to } : {}),
  }
}

const ROOMS = { proposal: 'proposals', run: 'runs', job: 'jobs' } as const
/** Where what an entry became can be looked at. */
export const resolutionHref = (r: { kind: keyof typeof ROOMS; id: string }) => `/${ROOMS[r.kind]}/${r.id}`
