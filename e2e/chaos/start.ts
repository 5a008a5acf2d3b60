/**
 * `npm run chaos:start`: a first start, killed after 100 ms, 200 ms, … with everything it had started, and then started again in the
 * same home. Each second start has to become ready, with its garden made and its owner's link printed.
 *
 * The kill is the launcher's alone (SIGKILL): what it leaves behind is part of the question. ROUNDS (20), STEP_MS (100) and FIRST_MS
 * (STEP_MS) choose the moments. The pages are built beforehand, since they belong to the checkout and not to the home.
 * Ends with 1 when a home did not come up.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildWeb, generateClient } from '#server/launch/build.mjs'
import { ROOT } from '#server/launch/checkout.mjs'
import { freePort } from '#server/launch/ports.mjs'
import { reportOf } from '../fixtures/report.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 20)
const STEP_MS = Number(process.env.STEP_MS ?? 100)
const FIRST_MS = Number(process.env.FIRST_MS ?? STEP_MS)
const READY_LIMIT_MS = Number(process.env.LIMIT_MS ?? 300_000)

type Started = { child: ChildProcess; output: () => string; exited: Promise<unknown> }

function start(home: string, ports: Record<'PORT' | 'NLM_PORT' | 'MEMBRIDGE_PORT', string>): Started {
  const env = { ...process.env, ...ports, BLOOM_HOME: home, DATABASE_URL: '', LOG_LEVEL: 'warn' }
  const program = path.join(ROOT, 'server/launch/run.mjs')
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      output += data
    })
  return { child, output: () => output, exited: once(child, 'exit') }
}

/** What stood in the home at the moment of the kill. */
const seen = (home: string): string =>
  fs.existsSync(home)
    ? fs
        .readdirSync(home)
        .map((name) => name.replace(/\.new-.*/, '.new'))
        .join(' ') || 'an empty home'
    : 'no home'

/** Whether it serves, and has printed the owner's link. */
async function isReady({ output, exited }: Started): Promise<boolean> {
  const deadline = performance.now() + READY_LIMIT_MS
  let ended = false
  void exited.then(() => {
    ended = true
  })
  while (!ended && performance.now() < deadline) {
    if (/\bReady\n/.test(output()) && /works once/.test(output())) return true
    await pause(100)
  }
  return false
}

const report = reportOf('chaos:start')

async function round(base: string, afterMs: number): Promise<boolean> {
  const home = path.join(base, `home-${afterMs}`)
  const ports = {
    PORT: String(await freePort()),
    NLM_PORT: String(await freePort()),
    MEMBRIDGE_PORT: String(await freePort()),
  }
  const first = start(home, ports)
  await Promise.race([pause(afterMs), first.exited])
  first.child.kill('SIGKILL')
  await first.exited
  const left = seen(home)
  const began = performance.now()
  const second = start(home, ports)
  const ready = await isReady(second)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  report.check(
    `killed after ${afterMs} ms (left: ${left}), ready after ${seconds} s`,
    ready,
    `\n${second.output()}`,
  )
  if (second.child.connected) second.child.send('stop')
  await second.exited
  if (ready) fs.rmSync(home, { recursive: true, force: true })
  return ready
}

await generateClient()
await buildWeb()
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-chaos-start-'))
fs.chmodSync(base, 0o755)
let good = 0
for (let n = 0; n < ROUNDS; n++) if (await round(base, FIRST_MS + n * STEP_MS)) good++
if (good === ROUNDS) fs.rmSync(base, { recursive: true, force: true })
report.figure('homes', `${good} of ${ROUNDS} came up${good === ROUNDS ? '' : `, the others are in ${base}`}`)
process.exit(report.verdict() ? 0 : 1)
