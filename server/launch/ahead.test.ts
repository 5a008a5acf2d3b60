/** A program that is started before its environment is known. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openAhead } from './ahead.mjs'
import { keepRunning, type Program, type ProgramPlan } from './program.mjs'
import { PROGRAMS } from './programs.mjs'
import { waitUntil } from './testing/wait-until.ts'

const AWAITED = path.join(import.meta.dirname, '../environment/awaited-environment.ts')
/** Says that it runs, then what it was given and how it was started, each in a line of a file. */
const PROGRAM = `
const fs = require('node:fs')
const say = (text) => fs.appendFileSync(process.env.LINES, text + '\\n')
say('runs ' + process.env.DATABASE_URL)
import(${JSON.stringify(AWAITED)}).then(async ({ awaitedEnvironment }) => {
  const awaited = awaitedEnvironment()
  say(awaited === null ? 'waits for nothing' : (await awaited) ? 'got ' + process.env.DATABASE_URL : 'got nothing')
  setInterval(() => {}, 1_000)
})`

let folder: string
let program: Program | undefined
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-ahead-'))
})
afterEach(async () => {
  await program?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** The environment of a program that says where it is. */
const envOf = (more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  NODE_ENV: 'test',
  LINES: file(),
  ...more,
})
const file = () => path.join(folder, 'says')
const lines = () => (fs.existsSync(file()) ? fs.readFileSync(file(), 'utf8').trim().split('\n') : [])
const untilSaid = (line: string) => waitUntil(() => lines().includes(line), { what: line })
const keep = (plan: Pick<ProgramPlan, 'env' | 'later'>) => {
  program = keepRunning(
    { name: 'stub', args: ['--eval', PROGRAM], ...plan },
    { logs: folder, onChange: () => {}, firstPauseMs: 1 },
  )
  return program
}

test('gets it by its input, and a program that takes its place has it from the start', async () => {
  const later = Promise.withResolvers<NodeJS.ProcessEnv>()
  const kept = keep({ env: envOf(), later: later.promise })
  await untilSaid('runs undefined')
  later.resolve(envOf({ DATABASE_URL: 'postgresql://here' }))
  await untilSaid('got postgresql://here')
  process.kill(kept.pid() as number, 'SIGKILL')
  await untilSaid('waits for nothing')
  expect(lines()).toEqual([
    'runs undefined',
    'got postgresql://here',
    'runs postgresql://here',
    'waits for nothing',
  ])
})

test('one that ended meanwhile waits again', async () => {
  const later = Promise.withResolvers<NodeJS.ProcessEnv>()
  const kept = keep({ env: envOf(), later: later.promise })
  await untilSaid('runs undefined')
  const first = kept.pid() as number
  process.kill(first, 'SIGKILL')
  await waitUntil(() => lines().length === 2, { what: 'the next one' })
  later.resolve(envOf({ DATABASE_URL: 'postgresql://here' }))
  await untilSaid('got postgresql://here')
})

test('learns that nothing comes when the start is given up', async () => {
  const later = Promise.withResolvers<NodeJS.ProcessEnv>()
  keep({ env: envOf(), later: later.promise })
  await untilSaid('runs undefined')
  later.reject(new Error('the ledger was refused'))
  await untilSaid('got nothing')
})

test('each program gets the environment of its own plan, and no address before', async () => {
  const added: ProgramPlan[] = []
  const instance = { add: (plan: ProgramPlan) => added.push(plan) }
  const env = { HOST: '127.0.0.1', PORT: 3000, GATEWAY_URL: 'http://g', NLM_CALLBACK_URL: 'http://g' }
  const ahead = openAhead(instance as never, {
    env: env as never,
    variables: envOf({ DATABASE_URL: 'postgresql://later' }),
  })
  ahead.start('web', PROGRAMS)
  ahead.start('worker', PROGRAMS)
  const plan = (name: string) => ({ name, args: [], env: envOf({ DATABASE_URL: `postgresql://${name}` }) })
  ahead.handOver(['nlm', 'worker', 'web'].map(plan))
  expect(added.map(({ name, env: known }) => [name, known.DATABASE_URL])).toEqual([
    ['web', undefined],
    ['worker', undefined],
  ])
  const given = await Promise.all(added.map(({ later }) => later))
  expect(given.map((known) => known?.DATABASE_URL)).toEqual(['postgresql://web', 'postgresql://worker'])
  expect(['web', 'nlm', 'worker'].map(ahead.has)).toEqual([true, false, true])
})
