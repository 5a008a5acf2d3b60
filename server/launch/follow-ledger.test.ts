/** A program beside an instance follows the ledger of its home to another port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { endRunning } from './child.mjs'
import { runOnLedger } from './follow-ledger.mjs'
import { waitUntil } from './testing/wait-until.ts'

/** Notes the address it was given and works until it is asked to stop; with `ONCE` it ends by itself. */
const PROGRAM = `const { appendFileSync } = require('node:fs')
appendFileSync(process.env.NOTE, new URL(process.env.DATABASE_URL).port + '\\n')
if (process.env.ONCE) process.exit(3)
const timer = setInterval(() => {}, 1000)
process.on('SIGTERM', () => clearInterval(timer))`

let home: string
let server: ChildProcess
let note: string
/** What postmaster.pid says of a server that runs in the data directory of the home. */
const listenOn = (port: number) =>
  fs.writeFileSync(path.join(home, 'postgres/postmaster.pid'), `${server.pid}\n${home}\n0\n${port}\n`)
const ports = () => (fs.existsSync(note) ? fs.readFileSync(note, 'utf8').trim().split('\n') : [])

beforeEach(async () => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-follow-')))
  note = path.join(home, 'note')
  fs.mkdirSync(path.join(home, 'postgres'))
  server = spawn('sleep', ['600'], { cwd: path.join(home, 'postgres') })
  await once(server, 'spawn')
  listenOn(5001)
})
afterEach(() => {
  server.kill()
  fs.rmSync(home, { recursive: true, force: true })
})

const start = (url: string, more: Record<string, string> = {}, stop?: AbortSignal) =>
  runOnLedger(
    ['-e', PROGRAM],
    { ...process.env, NOTE: note, DATABASE_URL: url, ...more },
    { home, lookMs: 20, ...(stop && { stop }) },
  )

it.runIf(process.platform === 'linux')(
  'starts the program again at the new port, and ends with its code',
  async () => {
    const ended = start('postgresql://bloom@127.0.0.1:5001/bloom')
    await waitUntil(() => ports().length === 1, { what: 'the program' })
    fs.rmSync(path.join(home, 'postgres/postmaster.pid'))
    listenOn(5002)
    await waitUntil(() => ports().length === 2, { what: 'the program at the new port' })
    listenOn(5003)
    await waitUntil(() => ports().length === 3, { what: 'the program at the newest port' })
    expect(ports()).toEqual(['5001', '5002', '5003'])
    await endRunning()
    expect(await ended).toBe(0)
  },
)

it.runIf(process.platform === 'linux')(
  'starts nothing again once it was asked to stop',
  async () => {
    onTestFinished(endRunning)
    const stop = new AbortController()
    const ended = start('postgresql://bloom@127.0.0.1:5001/bloom', {}, stop.signal)
    await waitUntil(() => ports().length === 1, { what: 'the program' })
    stop.abort()
    listenOn(5002)
    expect(await ended).toBe(0)
    expect(ports()).toEqual(['5001'])
  },
  20_000,
)

it.runIf(process.platform === 'linux')(
  'leaves a program alone whose ledger is elsewhere, and one that ends by itself',
  async () => {
    expect(await start('postgresql://bloom@ledger.example.org:5432/bloom', { ONCE: '1' })).toBe(3)
    expect(await start('postgresql://bloom@127.0.0.1:5001/bloom', { ONCE: '1' })).toBe(3)
    expect(ports()).toEqual(['5432', '5001'])
  },
)
