import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { NOTE_BUDGET } from '#domain/garden/note-budget.rules.ts'
import { ParsingPool } from './parsing-pool.ts'
import { parseFault } from './read-note.ts'

const SILENT = path.join(import.meta.dirname, 'testing/silent-thread.ts')
const GREEDY = path.join(import.meta.dirname, 'testing/greedy-thread.ts')
const TASK = { kind: 'parse', text: '# Fine\n' } as const

// The first of the file: later there are threads of the tests before.
test.runIf(process.platform === 'linux')(
  'parsing alone steps back behind the rest of the process, where priorities are those of threads',
  async () => {
    const priorities = () => fs.readdirSync('/proc/self/task').map((thread) => os.getPriority(Number(thread)))
    const before = Math.max(...priorities())
    const pool = new ParsingPool()
    expect(await pool.run(TASK)).toHaveProperty('value')
    expect(Math.max(...priorities())).toBe(Math.max(before, 5))
    expect(os.getPriority(process.pid)).toBeLessThan(5)
    await pool.close()
  },
)

test('a text that the machine had no time for is given up, with its thread, and may be tried again', async () => {
  const pool = new ParsingPool({ entry: SILENT, wallMs: 1 })
  // More than there are threads: the later ones get a fresh one each.
  const outcomes = await Promise.all([1, 2, 3].map(() => pool.run(TASK)))
  expect(outcomes).toEqual(Array(3).fill({ fault: 'time', kept: false }))
})

test('a text that takes more memory than its budget is ended for that, and it alone', async () => {
  // Little enough to be taken within the time of a text, also where memory is slow to be had.
  const outcome = await new ParsingPool({ entry: GREEDY, memoryMb: 16 }).run(TASK)
  expect(outcome).toEqual({ fault: 'memory', kept: true })
})

test('what was not the fault of a text is not remembered', async () => {
  const run = vi.spyOn(ParsingPool.prototype, 'run')
  onTestFinished(() => run.mockRestore())
  run.mockResolvedValueOnce({ fault: 'time', kept: false })
  expect(await parseFault(TASK.text)).toEqual({ budget: 'time', limit: NOTE_BUDGET.time })
  expect(await parseFault(TASK.text)).toBeNull()
})

test('a thread without a text ends, and its memory with it; the next text gets another', async () => {
  const ended = vi.spyOn(Worker.prototype, 'terminate')
  onTestFinished(() => ended.mockRestore())
  const pool = new ParsingPool({ idleMs: 1 })
  expect(await pool.run(TASK)).toHaveProperty('value')
  await vi.waitFor(() => expect(ended).toHaveBeenCalled())
  expect(await pool.run(TASK)).toHaveProperty('value')
})

test('what is made says what it takes: a tree as bytes handed over, a parsed note by its parts', async () => {
  const pool = new ParsingPool()
  const text = `${'- a\n'.repeat(1_000)}[[b]]\n`
  const [tree, note] = await Promise.all([
    pool.run({ kind: 'render', text, title: true }),
    pool.run({ kind: 'parse', text }),
  ])
  await pool.close()
  const [bytes, parsed] = [tree, note].map((outcome) => ('value' in outcome ? outcome.value : null))
  expect(bytes).toBeInstanceOf(Uint8Array)
  expect(tree).toMatchObject({ bytes: (bytes as Uint8Array).buffer.byteLength })
  // A thousand items are no few bytes, however short their text.
  expect((bytes as Uint8Array).byteLength).toBeGreaterThan(10 * text.length)
  expect(note).toMatchObject({ bytes: 4 * JSON.stringify(parsed).length })
})

test('whoever waits for a thread that cannot even start is told so', async () => {
  const pool = new ParsingPool({ entry: path.join(import.meta.dirname, 'no-such-thread.ts') })
  await expect(pool.run(TASK)).rejects.toThrow('no-such-thread')
})
