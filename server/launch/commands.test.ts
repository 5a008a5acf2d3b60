/** Every command that the README documents for operators, as a newcomer runs it: by the machine's own Node, with BLOOM_HOME alone. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { loadEnv } from '#server/env.ts'
import { failJob } from '#server/jobs/operate-job.ts'
import { addJob, OWNER } from '#server/jobs/testing/queue-room.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { NOTES, PERSON } from '#server/proposals/testing/garden-kit.ts'
import { ROOT } from './checkout.mjs'
import { type Instance, openInstance } from './instance.mjs'
import { prepareLedger } from './prepare.mjs'
import { writeAddresses } from './running.mjs'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const SCRIPTS: Record<string, string> = JSON.parse(
  fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
).scripts
const README = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8')
/** The oldest Node of this machine, and those of other versions. */
const [OLDEST = process.execPath, ...OTHERS] = nodes()

let folder: string
let home: string
let instance: Instance
let ledger: Database

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-commands-'))
  home = path.join(folder, 'home')
  instance = openInstance({ home })
  const { urls } = await prepareLedger(instance, home)
  writeAddresses(home, loadEnv({ BLOOM_HOME: home, DATABASE_URL: urls.web, PORT: '3999' }))
  const extraFiles = Object.entries(NOTES).map(([name, content]) => ({ path: name, content }))
  fs.mkdirSync(path.join(folder, 'notes'))
  await importGarden(path.join(folder, 'notes'), path.join(home, 'garden.git'), {
    author: PERSON,
    extraFiles,
  })
  ledger = openDatabase(urls.owner, { connections: 2 })
})
afterAll(async () => {
  await ledger?.close()
  await instance?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

function nodes(): string[] {
  const found = execFileSync('sh', ['-c', 'which -a node; true'], { encoding: 'utf8' }).split('\n')
  const all = [...found, process.execPath].filter((file) => file && fs.existsSync(file))
  const byVersion = new Map(
    all.map((file) => [execFileSync(file, ['--version'], { encoding: 'utf8' }).trim(), file]),
  )
  const versions = [...byVersion.keys()].sort(
    (a, b) => Number.parseInt(a.slice(1), 10) - Number.parseInt(b.slice(1), 10),
  )
  return versions.map((version) => byVersion.get(version) ?? process.execPath)
}

type Ended = { code: number | null; output: string }

function begin(command: string, args: string[], { node = OLDEST, at = home } = {}): ChildProcess {
  const [program, ...words] = SCRIPTS[command]?.split(' ') ?? []
  expect(program).toBe('node')
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, BLOOM_HOME: at, NODE_ENV: 'production' as const }
  return spawn(node, [...words, ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function run(
  command: string,
  args: string[] = [],
  options: { node?: string; at?: string } = {},
): Promise<Ended> {
  const child = begin(command, args, options)
  const read = collect(child)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output: read() }
}

function collect(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  return () => output
}

const failedJob = async () => {
  const job_id = await addJob(ledger)
  await failJob({ db: ledger }, { job_id, reason: 'for a test' }, OWNER)
  return job_id
}

describe('beside an instance', () => {
  it('npm run worker works until it is stopped, and npm run doctor sees it', async () => {
    const child = begin('worker', [])
    const read = collect(child)
    await vi.waitFor(() => expect(read()).toContain('the worker is up'), { timeout: 60_000 })
    const examined = await run('doctor')
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('close', resolve))
    expect(read()).toContain('the worker has stopped')
    expect(examined.output).toMatch(/^ok +workers +1 with a heartbeat/m)
    // Nothing listens on PORT here, which is the one thing that fails.
    expect(examined.output.match(/^FAIL .*$/gm)).toEqual([
      expect.stringMatching(/^FAIL {2}ports +http:\/\/127\.0\.0\.1:3999\/health does not answer → /),
    ])
    expect(examined.code).toBe(1)
  })

  it('npm run sign-in-link prints a link to the address of the instance', async () => {
    const { code, output } = await run('sign-in-link', ['--force'])
    expect(output).toMatch(/^http:\/\/localhost:3999\/sign-in#t=\S+$/m)
    expect(code).toBe(0)
  })

  it('npm run requeue takes ids, or all that are dead, and nothing else', async () => {
    const id = await failedJob()
    expect(await run('requeue', [id])).toMatchObject({
      code: 0,
      output: expect.stringContaining(`${id}  QUEUED`),
    })
    expect(await run('requeue', [id])).toMatchObject({ code: 1 })
    expect(await run('requeue', ['--dead'])).toMatchObject({ code: 0, output: 'No job is dead.\n' })
    expect(await run('requeue', ['nonsense'])).toMatchObject({ code: 2 })
  })

  it('npm run verify finds the audit whole', async () => {
    await sealAll(ledger)
    expect(await run('verify')).toMatchObject({
      code: 0,
      output: expect.stringContaining('The audit is whole.'),
    })
  })

  it('npm run rotate-audit-key retires the key', async () => {
    expect(await run('rotate-audit-key')).toMatchObject({
      code: 0,
      output: expect.stringContaining('is retired'),
    })
  })

  it('npm run backup writes a file', async () => {
    expect(await run('backup', [path.join(folder, 'copy.tar.gz')])).toMatchObject({ code: 0 })
  })

  it.each(OTHERS.map((node) => [node]))('runs under %s as well', async (node) => {
    const { output } = await run('doctor', [], { node })
    expect(output).toMatch(/^ok +database/m)
  })
})

describe('on a home that is not running', () => {
  const other = () => path.join(folder, 'other')

  it('npm run restore makes it, npm run repair-garden finds its garden in order, and npm run doctor all of it', async () => {
    expect(await run('restore', [path.join(folder, 'copy.tar.gz')], { at: other() })).toMatchObject({
      code: 0,
    })
    expect(await run('repair-garden', [], { at: other() })).toMatchObject({ code: 0 })
    const examined = await run('doctor', [], { at: other() })
    expect(examined.output).not.toMatch(/^FAIL/m)
    expect(examined.code).toBe(0)
  })

  it('npm run doctor names what is broken, and what to do', async () => {
    fs.chmodSync(path.join(other(), 'secrets.json'), 0o644)
    fs.rmSync(path.join(other(), 'postgres'), { recursive: true })
    const { code, output } = await run('doctor', [], { at: other() })
    fs.chmodSync(path.join(other(), 'secrets.json'), 0o600)
    expect(output).toMatch(/^FAIL +secrets +.*open to other users → chmod 600/m)
    expect(output).toMatch(/^FAIL +database +.*→ .*npm run restore or npm run rebuild/m)
    expect(code).toBe(1)
  })

  it('npm run rebuild gives it its ledger back, and npm run worker says that nothing runs', async () => {
    expect(await run('rebuild', [], { at: other() })).toMatchObject({ code: 0 })
    const refused = await run('worker', [], { at: other() })
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Nothing runs in') })
  })

  it.each(['sign-in-link', 'requeue', 'verify'])('npm run %s says where there is none', async (command) => {
    const refused = await run(command, [], { at: path.join(folder, 'nowhere') })
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('There is no Garden Bloom in') })
  })
})

describe('without an instance', () => {
  it('npm run edge:pack writes the archive for nodes and prints its size', async () => {
    const { code, output } = await run('edge:pack', ['--out', path.join(folder, 'packed')])
    expect(output).toMatch(/membridge-\d+\.\d+\.\d+\.tar\.gz\n\d+\.\d\d MiB, \d+ packages inside/)
    expect(code).toBe(0)
    expect(fs.readdirSync(path.join(folder, 'packed'))).toEqual([expect.stringMatching(/\.tar\.gz$/)])
    expect(await run('edge:pack', ['--wrong'])).toMatchObject({ code: 1 })
  })
})

describe('the README', () => {
  const HERE = [
    'worker',
    'doctor',
    'sign-in-link',
    'requeue',
    'verify',
    'rotate-audit-key',
    'backup',
    'restore',
    'repair-garden',
    'rebuild',
    'edge:pack',
  ]
  const operations = README.slice(README.indexOf('## Operations'), README.indexOf('## Architecture'))

  it('names scripts that there are, and no program of the sources', () => {
    const named = [...README.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name as string)
    expect(named.filter((name) => !(name in SCRIPTS))).toEqual([])
    expect(README).not.toMatch(/\bnode (?:server|worker|prisma)\//)
  })

  it('documents for operators what runs here', () => {
    const named = new Set([...operations.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name))
    named.delete('seed')
    expect([...named].sort()).toEqual([...HERE].sort())
  })
})
