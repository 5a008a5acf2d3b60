/**
 * Leadership in virtual time: `npm run chaos:leadership -- [--rounds 1000000] [--seed N]`, far more rounds than `npm test` runs of the same
 * simulation. Prints its seed, what happened, and the seed of the first round in which something was violated; a run in which too little
 * happened fails, too.
 */
import { parseArgs } from 'node:util'
import { VIOLATIONS } from '#domain/leadership/testing/referee.ts'
import { simulate } from '#domain/leadership/testing/simulation.ts'
import { reportOf } from '../fixtures/report.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } })
const rounds = Number(values.rounds ?? 1_000_000)
const seed = Number(values.seed ?? Date.now() % 1_000_000_000)
const PROGRESS_EVERY = 50_000

const report = reportOf('chaos:leadership')
report.figure('seed', seed)
const begun = performance.now()
const seconds = () => ((performance.now() - begun) / 1000).toFixed(1)
const { traffic, violations, invalid } = simulate({
  seed,
  rounds,
  progress: (done) => {
    if (done % PROGRESS_EVERY === 0) report.progress(`${done} rounds in ${seconds()} s`)
  },
})
report.figure('seconds', seconds())
report.figure('CPU seconds', (process.cpuUsage().user / 1e6).toFixed(1))
for (const [name, count] of Object.entries(traffic)) report.figure(name, count)
for (const violation of VIOLATIONS) {
  const found = violations.get(violation)
  report.check(
    `0 times ${violation}`,
    !found,
    found && `${found.count} times, first in --seed ${found.seed} --rounds 1`,
  )
}
report.check('enough happened', invalid.length === 0, invalid)
process.exit(report.verdict() ? 0 : 1)
