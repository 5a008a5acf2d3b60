export const SNOOZE_CHOICES = ['hour', 'evening', 'morning', 'beforeExpiry'] as const
export type SnoozeChoice = (typeof SNOOZE_CHOICES)[number]

const HOUR_MS = 3_600_000
const EVENING = 18
const MORNING = 9

/** When each choice ends, in the reader's zone; null for one that is over, or past the expiry. */
export function snoozeTimes(now: Date, expires: Date): Record<SnoozeChoice, Date | null> {
  const at = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour)
  const possible = (time: Date) => (mayEnd(time, now, expires) ? time : null)
  return {
    hour: possible(new Date(now.getTime() + HOUR_MS)),
    evening: possible(at(0, EVENING)),
    morning: possible(at(1, MORNING)),
    beforeExpiry: possible(new Date(expires.getTime() - 24 * HOUR_MS)),
  }
}

/** A snooze ends in the future and before the proposal expires. */
export const mayEnd = (time: Date, now: Date, expires: Date): boolean => time > now && time < expires
