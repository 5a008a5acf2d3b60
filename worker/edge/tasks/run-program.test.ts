/** How a program is ended that does not listen, with the graces shortened. */
import { expect, test } from 'vitest'
import { GRACE_MS, runProgram } from './run-program.ts'

const LONG_MS = 60_000

/** Says that it runs and ignores SIGTERM; gives how it ended. */
function runStubborn({ limitMs, graceMs }: { limitMs: number; graceMs: typeof GRACE_MS }) {
  const lost = new AbortController()
  return runProgram({
    file: '/bin/sh',
    args: ['-c', "trap '' TERM; echo here; while :; do sleep 1; done"],
    ...{ env: { PATH: '/usr/bin:/bin' }, cwd: '/', input: '', limitMs, graceMs },
    asked: lost.signal,
    onText: () => lost.abort(),
  })
}

test('a lost lease leaves time within its five seconds for the kill itself', () => {
  expect(GRACE_MS.asked).toBeLessThan(4_500)
})

test('a program whose lease is lost is killed when its grace is over', async () => {
  const end = await runStubborn({ limitMs: LONG_MS, graceMs: { 'at the limit': LONG_MS, asked: 50 } })
  expect(end).toMatchObject({ ended: 'asked', code: null, output: 'here\n' })
})

test('a lease that is lost while a program may still end by itself does not wait for that', async () => {
  const end = await runStubborn({ limitMs: 1, graceMs: { 'at the limit': LONG_MS, asked: 50 } })
  expect(end).toMatchObject({ ended: 'at the limit', code: null })
})
