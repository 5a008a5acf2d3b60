import { describe, expect, it } from 'vitest'
import { axisOf, roundsOf, workOf } from './attempt-rounds.ts'
import { aJobDetail, anAttempt, second } from './testing/job-detail.ts'

const at = (n: number) => Date.parse(second(n))
const { attempts } = aJobDetail()

describe('the attempts on an axis', () => {
  it('are phases with the backoff after, and the queue before all but the first', () => {
    const [round] = roundsOf(attempts)
    expect(round?.rows.map(({ segments }) => segments.map(({ kind }) => kind))).toEqual([
      ['CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'backoff'],
      ['queue', 'CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL'],
    ])
    const axis = axisOf(round?.rows ?? [], at(1_000_000))
    expect([axis.total, axis.live, axis.x(at(30)), axis.width(at(0), at(15))]).toEqual([
      60_000,
      false,
      '50%',
      '25%',
    ])
  })

  it('grow with now while one runs, and reach to the end of a backoff', () => {
    const running = roundsOf([anAttempt(0, { begins: 0, ends: null })])[0]?.rows ?? []
    expect(axisOf(running, at(40))).toMatchObject({ total: 40_000, live: true })
    const pausing =
      roundsOf([anAttempt(0, { begins: 0, ends: 10, backoff_until: second(25) })])[0]?.rows ?? []
    expect(axisOf(pausing, at(12))).toMatchObject({ total: 25_000, live: true })
  })

  it('leave out the time between two rounds', () => {
    const later = anAttempt(0, { begins: 90_000, ends: 90_010, round: 1 })
    const rounds = roundsOf([...attempts, later])
    expect(rounds.map(({ round, rows }) => [round, rows.length])).toEqual([
      [1, 1],
      [0, 2],
    ])
    expect(axisOf(rounds[0]?.rows ?? [], at(100_000)).total).toBe(10_000)
  })
})

it('counts work alone, to now for what runs', () => {
  expect(workOf(attempts, at(1_000))).toBe(43_000)
  expect(workOf([...attempts, anAttempt(2, { begins: 100, ends: null })], at(107))).toBe(50_000)
})
