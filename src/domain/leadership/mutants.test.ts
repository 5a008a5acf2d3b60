import { describe, expect, test } from 'vitest'
import { MUTANTS } from './testing/mutants.ts'
import { simulate } from './testing/simulation.ts'

/** As many rounds as the simulation of `npm test` has: what is found here would be found there. */
const ROUNDS = 8_000
const SEED = 1

describe('the simulation finds and names', () => {
  test.each(MUTANTS)('$name: $finds', ({ finds, sabotage }) => {
    const { violations, rounds } = simulate({ seed: SEED, rounds: ROUNDS, sabotage, until: finds })
    expect([...violations.keys()], `seed ${SEED}, ${rounds} rounds`).toContain(finds)
  })
})
