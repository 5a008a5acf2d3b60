/** When the daily digest of what waits is due ([needs#digest]): once on each day of a person's time zone, from a time of day on. */

/** What a digest counts, in the order in which it is shown; `other` is agents, services, projects and alerts. */
export const DIGEST_PARTS = [
  'expiring',
  'conflicts',
  'proposals',
  'failed',
  'questions',
  'dead_jobs',
  'other',
] as const
export type DigestPart = (typeof DIGEST_PARTS)[number]
export type DigestCounts = Record<DigestPart, number>

/** How many entries of Needs you a digest stands for: what expires and what is in conflict are proposals too, and dead jobs are one. */
export const digestTotal = ({ proposals, failed, questions, dead_jobs, other }: DigestCounts): number =>
  proposals + failed + questions + Math.min(1, dead_jobs) + other

type Local = { day: string; minutes: number }

/** The calendar day and the minute of it at a moment in a time zone; UTC for a zone that the runtime has lost. */
export function localTime(at: Date, timeZone: string): Local {
  const options = { hourCycle: 'h23', hour: '2-digit', minute: '2-digit' } as const
  const format = (zone: string) =>
    new Intl.DateTimeFormat('en-CA', {
      ...options,
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
  let parts: Record<string, string>
  try {
    parts = partsOf(format(timeZone), at)
  } catch {
    parts = partsOf(format('UTC'), at)
  }
  const { year, month, day, hour, minute } = parts
  return { day: `${year}-${month}-${day}`, minutes: Number(hour) * 60 + Number(minute) }
}

const partsOf = (format: Intl.DateTimeFormat, at: Date): Record<string, string> =>
  Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))

export type Dated = { digest_at: number; time_zone: string; created_at: Date }

/** The day whose digest is due, or null before its time, and for an account that is younger than that. */
export function digestDay({ digest_at, time_zone, created_at }: Dated, now: Date): string | null {
  const [here, born] = [localTime(now, time_zone), localTime(created_at, time_zone)]
  const isYounger = born.day === here.day && born.minutes >= digest_at
  return here.minutes < digest_at || isYounger ? null : here.day
}
