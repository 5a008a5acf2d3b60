/**
 * The slots of a schedule: five fields of cron in a named zone, by `croner`.
 *
 * A slot is an instant. When clocks go forward, a time of day that is skipped moves to the first one that exists; when they go
 * back, a time of day that comes twice is one slot. Rules without a fixed hour follow the clock through both.
 */
import { Cron } from 'croner'

export type Schedule = { cron: string; zone: string }

const read = ({ cron, zone }: Schedule) => new Cron(cron, { timezone: zone, mode: '5-part', paused: true })

/** Why this is no schedule, as a sentence, or null. A schedule that never comes is none. */
export function scheduleFault(schedule: Schedule): { field: 'cron' | 'zone'; message: string } | null {
  if (!isZone(schedule.zone))
    return { field: 'zone', message: 'must be a time zone such as Europe/Kyiv or UTC' }
  try {
    return nextSlot(schedule, new Date()) ? null : { field: 'cron', message: 'never comes due' }
  } catch {
    return { field: 'cron', message: 'must be five fields such as 0 7 * * 1-5' }
  }
}

/** The first slot after that instant, or null when there is none; throws for what `scheduleFault` names. */
export const nextSlot = (schedule: Schedule, after: Date): Date | null => read(schedule).nextRun(after)

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const DAY_MS = 86_400_000
/** Windows that are looked through for the latest slot, the shortest first: a dense schedule has one in the last day. */
const WINDOWS_DAYS = [1, 40, 400, 4_000] as const

/** The latest slot after `after` and not after `now`, or null: what came due since then, the last time of it. */
export function latestSlot(schedule: Schedule, after: Date, now: Date): Date | null {
  const cron = read(schedule)
  for (const days of WINDOWS_DAYS) {
    const start = now.getTime() - days * DAY_MS
    let slot: Date | null = null
    let next = cron.nextRun(new Date(Math.max(after.getTime(), start)))
    while (next && next <= now) {
      slot = next
      next = cron.nextRun(next)
    }
    if (slot || start <= after.getTime()) return slot
  }
  return null
}
