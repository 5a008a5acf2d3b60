import { expect, test } from 'vitest'
import { runToEnd } from './child.mjs'

const ECHO = [
  '-e',
  "process.stdin.on('data', (data) => process.stdout.write(data)).on('end', () => console.log('.'))",
]

test.each([
  ['once it is known', () => Promise.resolve('an address'), 'an address.\n'],
  ['nothing when it never will be', () => Promise.reject(new Error('no address')), '.\n'],
])('a program reads what it is given, %s', async (_, input, said) => {
  expect(await runToEnd(process.execPath, ECHO, { input: input() })).toMatchObject({ code: 0, stdout: said })
})

test('one that ends without reading is no fault', async () => {
  const input = Promise.resolve('x'.repeat(1_000_000))
  expect((await runToEnd(process.execPath, ['-e', 'process.exit(3)'], { input })).code).toBe(3)
})
