/**
 * The slots of a schedule: five fields of cron in a named zone, by `croner`. A slot is an instant.
 *
 * Where clocks go forward, a time of day that is skipped moves to the first one that exists. Where they go back, a time of day that comes twice
 * is one slot, the first. Rules whose hour is `*` follow the clock through both. So in Europe/Kyiv, where 03:00 becomes 04:00 in March and 04:00
 * becomes 03:00 in October:
 *
 * - a daily 03:30 (`30 3 * * *`) fires once on every day: at 04:00 on the day in March, at the first 03:30 on the day in October;
 * - an hourly rule (`0 * * * *`) fires 23 times on the day in March and 25 times on the day in October, every 60 minutes;
 * - `0 3,15 * * *` fires twice on either day.
 *
 * What names several minutes of a fixed hour (`15,45 3 * * *`) has no slot on a day that skips the hour.
 */
import { Cron } from 'croner'

export type Schedule = { cron: string; zone: string }

/** The first slot after an instant; null when there is none. */
type Next = (after: Date) => Date | null

function read({ cron, zone }: Schedule): Next {
  const rules = rulesOf(cron).map((rule) => new Cron(rule, { timezone: zone, mode: '5-part', paused: true }))
  const first: Next = (after) => {
    const times = rules.flatMap((rule) => rule.nextRun(after)?.getTime() ?? [])
    return times.length > 0 ? new Date(Math.min(...times)) : null
  }
  if (followsClock(cron)) return first
  const clockOf = clockIn(zone)
  return (after) => {
    let slot = first(after)
    while (slot && cameBefore(slot, clockOf)) slot = first(slot)
    return slot
  }
}

const hoursOf = (cron: string): string => cron.trim().split(/\s+/)[1] ?? '*'
const followsClock = (cron: string): boolean => hoursOf(cron).startsWith('*')

/** One rule for each hour: croner moves a time that is skipped only where a rule names a single hour. */
function rulesOf(cron: string): string[] {
  const hours = hoursOf(cron).split(',').map(hoursIn)
  if (hours.length === 1 && hours[0]?.length === 1) return [cron]
  if (hours.some((some) => some.length === 0)) return [cron]
  const [minute, , ...rest] = cron.trim().split(/\s+/)
  return [...new Set(hours.flat())].map((hour) => [minute, hour, ...rest].join(' '))
}

/** The hours of `3`, `2-5` or `2-10/2`; none where croner has to read it. */
function hoursIn(part: string): number[] {
  const [, from, to = from, by = '1'] = /^(\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(part) ?? []
  const [first, last, step] = [Number(from), Number(to), Number(by)]
  if (!(first <= last && last < 24 && step > 0)) return []
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, n) => first + n * step)
}

/** By how much clocks are put back anywhere. */
const PUT_BACK_MS = [30, 60, 120].map((minutes) => minutes * 60_000)

/** True where the clocks showed the same time before: croner takes the second time as well where a rule names several hours. */
const cameBefore = (slot: Date, clockOf: (at: number) => string): boolean =>
  PUT_BACK_MS.some((ms) => clockOf(slot.getTime() - ms) === clockOf(slot.getTime()))

function clockIn(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (at) => format.format(at)
}

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
export const nextSlot = (schedule: Schedule, after: Date): Date | null => read(schedule)(after)

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
  const nextAfter = read(schedule)
  for (const days of WINDOWS_DAYS) {
    const start = now.getTime() - days * DAY_MS
    let slot: Date | null = null
    let next = nextAfter(new Date(Math.max(after.getTime(), start)))
    while (next && next <= now) {
      slot = next
      next = nextAfter(next)
    }
    if (slot || start <= after.getTime()) return slot
  }
  return null
}
