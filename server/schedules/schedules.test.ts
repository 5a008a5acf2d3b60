import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Kit } from '#server/runs/testing/run-kit.ts'
import { openScheduleKit, type ScheduleKit } from './testing/schedule-kit.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const HOUR = 3_600_000
const STOOD = [
  'gone-paused-resumed',
  'paused-gone-resumed',
  'paused-gone-back-resumed',
  'paused-changed-resumed-back',
]
const SLUGS = [
  ...['kyiv', 'york', 'autumn', 'hourly', 'minute', 'back', 'crash'],
  ...STOOD.map((name) => `stood-${name}`),
]
let kit: ScheduleKit
let other: Kit

beforeAll(async () => {
  kit = await openScheduleKit(SLUGS)
  other = (await kit.harness.worker({ holder: 'other' })).kit
})
afterAll(() => kit?.close())

const local = (iso: string, timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(new Date(iso))

describe('a schedule', () => {
  test('fires each slot of thirty days once, over the change of summer time, for two workers and with gaps', async () => {
    await kit.define('kyiv', { cron: '30 3 * * *', zone: 'Europe/Kyiv' })
    await kit.define('york', { cron: '30 2 * * *', zone: 'America/New_York' })
    // Both change to summer time within these days.
    const start = Date.UTC(new Date().getUTCFullYear() + 1, 2, 5, 12)
    await kit.look(start)
    for (let at = start; at <= start + 30 * 24 * HOUR; at += 12 * HOUR) {
      await Promise.all([kit.look(at), kit.look(at, other), kit.look(at + HOUR, other)])
      if ((at / HOUR) % 5 === 0) await kit.clearQueue()
    }
    for (const [slug, zone, usual, moved] of [
      ['kyiv', 'Europe/Kyiv', '03:30', '04:00'],
      ['york', 'America/New_York', '02:30', '03:00'],
    ] as const) {
      const times = (await kit.timesOf(slug)).map((iso) => local(iso, zone).split(' '))
      const days = times.map(([day]) => day)
      expect(new Set(days).size).toBe(days.length)
      expect(days).toHaveLength(30)
      expect(times.filter(([, time]) => time === moved)).toHaveLength(1)
      expect(times.filter(([, time]) => time === usual)).toHaveLength(29)
    }
    const { rows } = await kit.kit.db.query(
      sql`SELECT trigger, requested_by FROM run WHERE agent_slug = 'kyiv' GROUP BY 1, 2`,
    )
    expect(rows).toEqual([{ trigger: 'cron', requested_by: 'cron:kyiv' }])
  })

  test('that was missed fires once, its latest slot, and only once', async () => {
    await kit.clearQueue()
    const before = (await kit.slotsOf('kyiv')).length
    const late = Date.UTC(new Date().getUTCFullYear() + 1, 3, 20, 12)
    await Promise.all([kit.look(late), kit.look(late, other)])
    await kit.look(late)
    const after = await kit.timesOf('kyiv')
    expect(after).toHaveLength(before + 1)
    expect(local(after.at(-1) ?? '', 'Europe/Kyiv')).toContain('-04-20 03:30')
  })

  test('fires each slot of the hour that comes twice once, for two workers, one of them started in it', async () => {
    await kit.clearQueue()
    await kit.define('autumn', { cron: '30 3,15 * * *', zone: 'Europe/Kyiv' })
    await kit.define('hourly', { cron: '0 * * * *', zone: 'Europe/Kyiv' })
    const year = new Date().getUTCFullYear() + 1
    // Clocks go back at 01:00 UTC of the last Sunday of October.
    const change = Date.UTC(year, 9, 31, 1) - new Date(Date.UTC(year, 9, 31)).getUTCDay() * 24 * HOUR
    let second = other
    await kit.look(change - 4 * HOUR)
    for (let at = change - 4 * HOUR; at <= change + 4 * HOUR; at += 20 * 60_000) {
      if (at === change + 20 * 60_000) {
        second = (await kit.harness.worker({ holder: 'restarted' })).kit
        await kit.clearQueue()
      }
      await Promise.all([kit.look(at), kit.look(at, second)])
    }
    const clocks = async (slug: string) =>
      (await kit.timesOf(slug)).map((iso) => local(iso, 'Europe/Kyiv').split(' ')[1])
    expect(await clocks('autumn')).toEqual(['03:30'])
    expect((await kit.timesOf('autumn'))[0]).toBe(new Date(change - HOUR / 2).toISOString())
    expect(await clocks('hourly')).toEqual([
      '01:00',
      '02:00',
      '03:00',
      '03:00',
      '04:00',
      '05:00',
      '06:00',
      '07:00',
    ])
    const { rows } = await kit.kit.db.query(sql`SELECT agent_slug, count(*) AS n FROM run
      WHERE agent_slug IN ('autumn', 'hourly') AND trigger = 'cron' GROUP BY 1 ORDER BY 1`)
    expect(rows).toEqual([
      { agent_slug: 'autumn', n: 1 },
      { agent_slug: 'hourly', n: (await kit.slotsOf('hourly')).filter((s) => s.run_id).length },
    ])
  })

  test('never fires for the time in which its agent was paused', async () => {
    await kit.define('minute', { cron: '* * * * *' })
    const at = Date.now()
    await kit.look(at - 10 * 60_000)
    await kit.commandOf('minute', 'pause')
    await kit.look(at + 5 * 60_000)
    expect(await kit.slotsOf('minute')).toEqual([])
    await kit.commandOf('minute', 'resume')
    await kit.look(at)
    expect(await kit.slotsOf('minute')).toEqual([])
    await kit.look(at + 3 * 60_000)
    const minute = Math.floor((at + 3 * 60_000) / 60_000) * 60_000
    expect(await kit.timesOf('minute')).toEqual([new Date(minute).toISOString()])
  })

  test('begins with the resumption of its agent; one that was taken away and put back begins anew', async () => {
    const at = Date.now()
    await kit.define('back', { cron: '* * * * *' })
    await kit.look(at - 10 * 60_000)
    await kit.commandOf('back', 'pause')
    await kit.look(at - 9 * 60_000)
    await kit.commandOf('back', 'resume')
    await kit.look(at + 2 * 60_000)
    const minute = Math.floor((at + 2 * 60_000) / 60_000) * 60_000
    expect(await kit.timesOf('back')).toEqual([new Date(minute).toISOString()])
    await kit.define('back', {})
    await kit.look(at + 10 * 60_000)
    await kit.define('back', { cron: '* * * * *' })
    await kit.look(at + 15 * 60_000)
    expect(await kit.slotsOf('back')).toHaveLength(1)
  })

  test.each([
    ['gone, paused, resumed', ['gone', 'pause', 'resume']],
    ['paused, gone, resumed', ['pause', 'gone', 'resume']],
    ['paused, gone, back, resumed', ['pause', 'gone', 'back', 'resume']],
    ['paused, changed, resumed, back', ['pause', 'changed', 'resume']],
  ] as const)('fires none of the times in which it did not stand: %s', async (name, steps) => {
    const slug = `stood-${name.replaceAll(', ', '-')}`
    const at = Date.now()
    const every = { cron: '* * * * *' }
    await kit.define(slug, every)
    await kit.look(at - 10 * 60_000)
    for (const [n, step] of steps.entries()) {
      if (step === 'gone') await kit.define(slug, {})
      else if (step === 'back') await kit.define(slug, every)
      else if (step === 'changed') await kit.define(slug, { cron: '0 0 1 1 *' })
      else await kit.commandOf(slug, step)
      // No worker looks between the resumption and what follows.
      if (step !== 'resume') await kit.look(at - (9 - n) * 60_000)
    }
    await kit.define(slug, every)
    await kit.look(at + 10 * 60_000)
    // The agent was resumed at the real time, ten minutes before; only where it stood since then has a time come due.
    expect(await kit.slotsOf(slug)).toHaveLength(name.endsWith('back, resumed') ? 1 : 0)
    await kit.look(at + 11 * 60_000)
    expect(await kit.slotsOf(slug)).toHaveLength(name.endsWith('back, resumed') ? 2 : 1)
  })

  test('that changes begins anew; a process that dies inside a slot has not fired it', async () => {
    const at = Date.UTC(new Date().getUTCFullYear() + 2, 0, 1, 12, 30)
    await kit.define('crash', { cron: '0 * * * *' })
    await kit.look(at)
    const dies = () => {
      throw new Error('killed')
    }
    await expect(kit.look(at + HOUR, kit.kit, dies)).rejects.toThrow('killed')
    expect(await kit.slotsOf('crash')).toEqual([])
    await kit.look(at + HOUR)
    expect(await kit.slotsOf('crash')).toMatchObject([
      { refused: null, run_id: expect.stringMatching(/^run_/) },
    ])
    await kit.define('crash', { cron: '15 * * * *' })
    await kit.look(at + 3 * HOUR)
    await kit.look(at + 3 * HOUR + 1)
    expect(await kit.slotsOf('crash')).toHaveLength(1)
  })
})
