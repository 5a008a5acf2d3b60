/** How a program is ended that does not listen, with the graces shortened. */
import { expect, test } from 'vitest'
import { GRACE_MS, runProgram } from './run-program.ts'

const LONG_MS = 60_000
/** Long enough for the program to have begun. */
const LIMIT_MS = 1_000

type Stubborn = { limitMs: number; graceMs: typeof GRACE_MS; lostAt: 'here' | 'not yet' }

/** Says that it runs, and `not yet` to SIGTERM; its lease is lost when it has said this or that. Gives how it ended. */
function runStubborn({ limitMs, graceMs, lostAt }: Stubborn) {
  const lost = new AbortController()
  return runProgram({
    file: '/bin/sh',
    args: ['-c', "trap 'echo not yet' TERM; echo here; while :; do sleep 1; done"],
    ...{ env: { PATH: '/usr/bin:/bin' }, cwd: '/', input: '', limitMs, graceMs },
    asked: lost.signal,
    onText: (text) => {
      if (text.includes(lostAt)) lost.abort()
    },
  })
}

test('a lost lease leaves time within its five seconds for the kill itself', () => {
  expect(GRACE_MS.asked).toBeLessThan(4_500)
})

test('a program whose lease is lost is killed when its grace is over', async () => {
  const graceMs = { 'at the limit': LONG_MS, asked: 50 }
  const end = await runStubborn({ limitMs: LONG_MS, graceMs, lostAt: 'here' })
  expect(end).toMatchObject({ ended: 'asked', code: null, output: expect.stringMatching(/^here\n/) })
})

test('a lease that is lost while a program may still end by itself does not wait for that', async () => {
  const graceMs = { 'at the limit': LONG_MS, asked: 50 }
  const end = await runStubborn({ limitMs: LIMIT_MS, graceMs, lostAt: 'not yet' })
  expect(end).toMatchObject({ ended: 'at the limit', code: null, output: 'here\nnot yet\n' })
})
