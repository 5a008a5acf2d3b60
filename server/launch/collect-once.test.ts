import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const AT_ONCE =
  'data:text/javascript,const later=setTimeout;globalThis.setTimeout=(work,ms)=>later(work,ms===15000?0:ms)'
const COLLECT = import.meta.resolve('./collect-once.mjs')
/** Says whether an object that nobody has is gone a moment later. A process with so little to do does not collect by itself. */
const PROGRAM = `const ref = new WeakRef({});
setTimeout(() => console.log(ref.deref() === undefined ? 'gone' : 'kept', typeof gc), 500)`

async function say(imports: readonly string[]): Promise<string> {
  const preloads = imports.flatMap((module) => ['--import', module])
  return (await promisify(execFile)(process.execPath, [...preloads, '-e', PROGRAM])).stdout.trim()
}

test('what a start has left behind is collected once it is over, and the program gets no way to do so', async () => {
  expect(await say([AT_ONCE, COLLECT])).toBe('gone undefined')
})

test('not before', async () => {
  expect(await say([COLLECT])).toBe('kept undefined')
})
