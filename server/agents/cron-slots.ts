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
