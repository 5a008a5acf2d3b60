import { Countdown, Duration, ExactTime, Milliseconds, RelativeTime } from '#ui/time.tsx'
import type { Specimen } from '../specimen.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const NOW = Date.now()

export const times: Specimen = {
  name: 'Times',
  of: ['time.tsx'],
  states: [
    {
      name: 'instants and durations',
      Show: () => (
        <ul className="flex flex-wrap gap-x-8 gap-y-2">
          <li>
            <RelativeTime at={NOW - 3 * SECOND} />
          </li>
          <li>
            <RelativeTime at={NOW - 26 * HOUR} />
          </li>
          <li>
            <ExactTime at={NOW} />
          </li>
          <li>
            <Duration from={NOW - 90 * SECOND} />
          </li>
          <li>
            <Duration from={NOW - HOUR} to={NOW} />
          </li>
          <li>
            <Milliseconds ms={547} />
          </li>
        </ul>
      ),
    },
    {
      name: 'countdowns: far, urgent, due',
      Show: () => (
        <ul className="flex gap-x-8">
          <li>
            <Countdown until={NOW + 26 * HOUR} urgentBelow={HOUR} />
          </li>
          <li>
            <Countdown until={NOW + 600 * SECOND} urgentBelow={HOUR} />
          </li>
          <li>
            <Countdown until={NOW - HOUR} due="due" />
          </li>
        </ul>
      ),
    },
  ],
}
