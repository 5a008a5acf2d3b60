import { expect, test } from 'vitest'
import { snoozeTimes } from './snooze-choices.ts'

const on = (day: number, hour: number, minute = 0) => new Date(2026, 2, day, hour, minute)

test.each([
  ['in the morning', on(2, 10), on(5, 10), [on(2, 11), on(2, 18), on(3, 9), on(4, 10)]],
  ['in the evening', on(2, 18), on(5, 10), [on(2, 19), null, on(3, 9), on(4, 10)]],
  ['on the last day', on(2, 10), on(2, 20), [on(2, 11), on(2, 18), null, null]],
  ['in the last hour', on(2, 10), on(2, 10, 30), [null, null, null, null]],
  ['never at the expiry itself', on(2, 10), on(2, 11), [null, null, null, null]],
])('%s', (_, now, expires, times) => {
  expect(Object.values(snoozeTimes(now, expires))).toEqual(times)
})
