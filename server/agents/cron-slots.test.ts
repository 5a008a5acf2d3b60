import { describe, expect, it } from 'vitest'
import { latestSlot, nextSlot } from './cron-slots.ts'

const KYIV = 'Europe/Kyiv'
/** Clocks go from 03:00 (+2) to 04:00 (+3) on 29 March 2026, and from 04:00 (+3) to 03:00 (+2) on 25 October. */
const MARCH = ['2026-03-28T22:00:00Z', '2026-03-29T21:00:00Z'] as const
const OCTOBER = ['2026-10-24T21:00:00Z', '2026-10-25T22:00:00Z'] as const

/** The slots of one day of the zone, as hours and minutes of UTC. */
function slotsOf(cron: string, [from, to]: readonly [string, string], zone = KYIV): string[] {
  const found: string[] = []
  let at = nextSlot({ cron, zone }, new Date(Date.parse(from) - 1))
  while (at && at < new Date(to)) {
    found.push(at.toISOString().slice(11, 16))
    at = nextSlot({ cron, zone }, at)
  }
  return found
}

describe('on the day on which clocks change', () => {
  it.each<[string, string, readonly [string, string], string[]]>([
    ['a daily 03:30 moves to the first time that exists', '30 3 * * *', MARCH, ['01:00']],
    ['a daily 03:30 fires at the first of two', '30 3 * * *', OCTOBER, ['00:30']],
    ['one of several hours moves', '0 3,15 * * *', MARCH, ['01:00', '12:00']],
    ['one of several hours fires once', '0 3,15 * * *', OCTOBER, ['00:00', '13:00']],
    ['a range of hours has none twice where one moves', '0 2-5/1 * * *', MARCH, ['00:00', '01:00', '02:00']],
    ['a range of hours fires once each', '0 2-4 * * *', OCTOBER, ['23:00', '00:00', '02:00']],
    ['several minutes of an hour fire once each', '*/30 3 * * *', OCTOBER, ['00:00', '00:30']],
    ['the hour after is none that comes twice', '0 4 * * *', OCTOBER, ['02:00']],
    ['weekdays have nothing to do with it', '30 3 * * 1-5', OCTOBER, []],
  ])('%s', (_, cron, day, slots) => expect(slotsOf(cron, day)).toEqual(slots))

  it('an hourly rule follows the clock', () => {
    expect(slotsOf('0 * * * *', MARCH)).toHaveLength(23)
    expect(slotsOf('0 * * * *', OCTOBER)).toHaveLength(25)
    expect(slotsOf('15 */1 * * *', OCTOBER).slice(2, 6)).toEqual(['23:15', '00:15', '01:15', '02:15'])
  })

  it('a zone that goes back by half an hour has each time once as well', () => {
    // Lord Howe: 02:00 (+11) becomes 01:30 (+10:30) on 5 April 2026.
    const day = ['2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z'] as const
    expect(slotsOf('45 1,5 * * *', day, 'Australia/Lord_Howe')).toEqual(['14:45', '19:15'])
  })
})

describe('the latest slot', () => {
  it.each([
    ['between the two', '2026-10-25T01:10:00Z'],
    ['behind the second', '2026-10-25T01:40:00Z'],
    ['a day later, looking back to between the two', '2026-10-26T01:10:00Z'],
  ])('of a daily 03:30 is the first of two, seen %s', (_, now) => {
    for (const cron of ['30 3 * * *', '30 3,12 25 * *'])
      expect(
        latestSlot({ cron, zone: KYIV }, new Date('2026-10-25T00:00:00Z'), new Date(now))?.toISOString(),
      ).toBe(
        cron.includes('12') && now > '2026-10-25T10'
          ? '2026-10-25T10:30:00.000Z'
          : '2026-10-25T00:30:00.000Z',
      )
  })
})
