import { afterAll, describe, expect, test } from 'vitest'
import { simulate } from './testing/simulation.ts'
import { noTraffic, type Traffic, tooLittle } from './testing/traffic.ts'

/** Both can be set; a round that fails is repeated by the seed it names and one round. */
const ROUNDS = Number(process.env.LEADERSHIP_ROUNDS ?? 10_000)
const SEED = Number(process.env.LEADERSHIP_SEED ?? 20_261_123)
const PARTS = 10
/** Fewer rounds repeat one that failed; what is to happen on average need not happen in them. */
const ENOUGH_ROUNDS = 1_000
const startOf = (part: number) => Math.floor((part * ROUNDS) / PARTS)

describe(`${ROUNDS} rounds of fleets from seed ${SEED}`, () => {
  const total = noTraffic()
  const before = process.cpuUsage()

  test.each(Array.from({ length: PARTS }, (_, part) => part))('part %i: no violation', (part) => {
    const rounds = startOf(part + 1) - startOf(part)
    const { traffic, violations } = simulate({ seed: SEED + startOf(part), rounds })
    for (const name of Object.keys(total) as (keyof Traffic)[]) total[name] += traffic[name]
    expect(Object.fromEntries(violations)).toEqual({})
  })

  test('every round was run once', () => {
    expect(total.rounds).toBe(ROUNDS)
  })

  test.runIf(ROUNDS >= ENOUGH_ROUNDS)('enough happened', () => {
    expect(tooLittle(total)).toEqual([])
  })

  afterAll(() => {
    const { user, system } = process.cpuUsage(before)
    const { rounds, pushed, take_over, select, ambiguous, stale_term } = total
    console.warn(
      `leadership: seed ${SEED}, ${rounds} rounds in ${((user + system) / 1e6).toFixed(1)} s of CPU: ${pushed} pushed, ` +
        `${take_over} taken over, ${select} selected, ${stale_term} stale, ${ambiguous} answers lost`,
    )
  })
})

test('a run in which too little happens is invalid, not green', () => {
  const { traffic } = simulate({ seed: SEED, rounds: 40 })
  const faults = tooLittle({ ...traffic, rounds: 4_000 })
  expect(simulate({ seed: SEED, rounds: 0 }).invalid).toContain('pushes: 0 of at least 5')
  expect(faults).toContainEqual(expect.stringMatching(/^ambiguous: \d+ of at least 2000$/))
})
