/**
 * Our queue beside those of its field, in one run: ROUNDS times theirs and ours by turns, which of them first alternates, with the same number
 * of jobs. Theirs is a program of its own in the folder that BENCH_PEERS names: `npm run bench` there prints JSON lines. The folder is only
 * read: what runs is a copy, with packages of its own.
 *
 *   BENCH_PEERS, ROUNDS (3), N (5 000), LATENCY_JOBS (200)
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Figures, type Row, report } from './figures.ts'
import { type PeerFigures, peerFigures } from './peer-lines.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 3)
const SIZES = { N: process.env.N ?? '5000', LATENCY_JOBS: process.env.LATENCY_JOBS ?? '200' }
/** What is compared, and what ours is to be of theirs. */
const PEERS: Record<string, number | null> = { floor: null, floor6: 1.2, pgboss: 2, graphile: 0.9 }
const NAMES = Object.keys(PEERS)

/** npm hands its own settings on; the copy is installed by those of the machine alone. */
function environment(): NodeJS.ProcessEnv {
  const { ...env } = process.env
  for (const name of Object.keys(env)) if (/^npm_/i.test(name)) delete env[name]
  return env
}

/** Runs a program to its end and returns what it printed; its progress is shown. */
async function run(command: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${output.slice(-4_000)}`)
  return output
}

/** A copy that its PostgreSQL may read, too, which runs under another account than root. */
async function copyOf(folder: string): Promise<string> {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-peers-'))
  fs.chmodSync(copy, 0o755)
  const isNeeded = (file: string) => !['node_modules', '.data', '.git'].includes(path.basename(file))
  fs.cpSync(folder, copy, { recursive: true, filter: isNeeded })
  await run(['npm', 'install', '--no-package-lock', '--no-audit', '--no-fund'], copy)
  return copy
}

const theirs = async (copy: string): Promise<Map<string, PeerFigures>> =>
  peerFigures(await run(['npm', 'run', 'bench'], copy, { ...SIZES, ROWS: NAMES.join(','), REPS: '1' }), NAMES)

async function ours(copy: string): Promise<PeerFigures> {
  const file = path.join(copy, 'ours.json')
  const root = path.resolve(import.meta.dirname, '../..')
  await run([process.execPath, path.join(import.meta.dirname, 'main.ts'), 'queue', '--json', file], root, {
    ...SIZES,
    HISTORY: '0',
  })
  const { rows } = report.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  const of = (pattern: RegExp) =>
    rows.find(({ figure }: Row) => pattern.test(figure))?.value.median ?? Number.NaN
  return {
    drain: of(/^all states/),
    enqueue: of(/^enqueue, singly/),
    start50: of(/after \d+ jobs, p50/),
    start99: of(/after \d+ jobs, p99/),
  }
}

async function round(copy: string, oursFirst: boolean, figures: Figures): Promise<void> {
  const first = oursFirst ? await ours(copy) : null
  const peers = await theirs(copy)
  const us = first ?? (await ours(copy))
  for (const [name, one] of [['ours', us] as const, ...peers]) {
    figures.add(`${name}, drain`, one.drain, { unit: 'jobs/s' })
    figures.add(`${name}, enqueue singly`, one.enqueue, { unit: 'jobs/s' })
    figures.add(`${name}, enqueue → start p50`, one.start50, { unit: 'ms' })
    figures.add(`${name}, enqueue → start p99`, one.start99, { unit: 'ms' })
  }
  for (const [name, least] of Object.entries(PEERS)) {
    const ratio = us.drain / (peers.get(name)?.drain ?? Number.NaN)
    figures.add(`ours ÷ ${name}`, ratio, { unit: '×', ...(least === null ? {} : { aim: { least } }) })
  }
}

export async function benchPeers(figures: Figures): Promise<void> {
  const folder = process.env.BENCH_PEERS
  if (!folder || !fs.existsSync(folder))
    return figures.note('left out: BENCH_PEERS names no folder with the bench of the peers')
  const copy = await copyOf(path.resolve(folder))
  try {
    for (let n = 0; n < ROUNDS; n++) await round(copy, n % 2 === 1, figures)
  } finally {
    fs.rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
  }
}
