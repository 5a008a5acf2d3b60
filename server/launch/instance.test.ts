import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ownerOf } from './lock.mjs'
import { startPostgres } from './postgres.mjs'
import { isAlive } from './process-identity.mjs'
import { waitUntil } from './testing/wait-until.ts'

const NAMES = ['first', 'second', 'deaf', 'parent']
const started: { child: ChildProcess; home: string }[] = []

afterEach(async () => {
  for (const { child, home } of started.splice(0)) {
    child.kill('SIGTERM')
    await waitUntil(() => survivors(home).length === 0, {
      what: 'the end of the stub instance',
      timeoutMs: 120_000,
    })
    fs.rmSync(home, { recursive: true, force: true })
  }
})

function newHome(): string {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-instance-'))
  fs.chmodSync(home, 0o755)
  return home
}

let made: string
beforeAll(async () => {
  made = newHome()
  const options = { directory: path.join(made, 'postgres'), password: 'stub-password' }
  const server = await startPostgres({ ...options, settings: { fsync: 'off' } })
  await server.stop()
})
afterAll(() => fs.rmSync(made, { recursive: true, force: true }))

/** A home that was started before: to initialise its data takes longer than most of these tests. */
function usedHome(): string {
  const home = newHome()
  fs.cpSync(path.join(made, 'postgres'), path.join(home, 'postgres'), { recursive: true })
  return home
}

async function startStub(home = newHome(), program = 'stub-instance.mjs') {
  const file = path.join(import.meta.dirname, 'testing', program)
  const child = spawn(process.execPath, [file, home], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  started.push({ child, home })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data))
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  return { child, home, exited, output: () => output }
}

async function startedStub(home = usedHome(), program?: string) {
  const stub = await startStub(home, program)
  const up = waitUntil(() => /^up \d+$/m.test(stub.output()), {
    what: 'the stub instance',
    timeoutMs: 120_000,
  })
  const failed = stub.exited.then((code) =>
    Promise.reject(new Error(`it ended with ${code}: ${stub.output()}`)),
  )
  await Promise.race([up, failed])
  failed.catch(() => {})
  await waitUntil(() => NAMES.every((name) => pidOf(stub.home, name)), { what: 'all stubs' })
  return stub
}

const read = (file: string) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '')
const pidOf = (home: string, name: string) => Number.parseInt(read(path.join(home, `${name}.pid`)), 10) || 0
const serverPid = (home: string) => Number.parseInt(read(path.join(home, 'postgres/postmaster.pid')), 10) || 0

/** A listener on the port, or null while somebody else has it. */
function listenOn(port: number): Promise<net.Server | null> {
  const server = net.createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(null))
    server.listen({ port, host: '127.0.0.1' }, () => resolve(server))
  })
}

/** Processes whose environment or working directory names the home: programs, what they started, and the server. */
function survivors(home: string): string[] {
  return fs.readdirSync('/proc').filter((pid) => {
    try {
      if (
        !/^\d+$/.test(pid) ||
        fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z')
      )
        return false
      const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8')
      return (
        environment.includes(`PID_FILE=${home}/`) ||
        fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(`${home}/`)
      )
    } catch {
      return false
    }
  })
}

describe.runIf(process.platform === 'linux')('an instance', () => {
  test('stops backwards on a signal, also programs that do not listen, and leaves nothing', async () => {
    const stub = await startedStub(newHome())
    expect(survivors(stub.home).length).toBeGreaterThanOrEqual(NAMES.length + 2)
    stub.child.kill('SIGTERM')
    expect(await stub.exited).toBe(0)
    expect(survivors(stub.home)).toEqual([])
    expect(read(path.join(stub.home, 'ends'))).toBe('second first ')
    expect(read(path.join(stub.home, 'logs/postgres.log'))).toContain('database system is shut down')
  })

  test('stops when the process that started it is gone', async () => {
    const stub = await startedStub()
    stub.child.disconnect()
    expect(await stub.exited).toBe(0)
    expect(survivors(stub.home)).toEqual([])
  })

  test('leaves nothing when it is killed outright, and starts again on the same data', async () => {
    const stub = await startedStub()
    stub.child.kill('SIGKILL')
    await waitUntil(() => survivors(stub.home).length === 0, { what: 'the watchdog', timeoutMs: 120_000 })
    const again = await startedStub(stub.home)
    again.child.kill('SIGINT')
    expect(await again.exited).toBe(0)
    expect(survivors(stub.home)).toEqual([])
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'leaves nothing when its starter gets %s',
    async (signal) => {
      const stub = await startedStub(undefined, 'stub-start.mjs')
      stub.child.kill(signal)
      expect(await stub.exited).toBe(signal === 'SIGKILL' ? null : 0)
      await waitUntil(() => survivors(stub.home).length === 0, { what: 'the end of all programs' })
      expect(read(path.join(stub.home, 'logs/postgres.log'))).toContain('database system is shut down')
    },
  )

  test('goes on in the process of its starter, where that has the right Node', async () => {
    const stub = await startedStub(undefined, 'stub-start.mjs')
    expect(ownerOf(path.join(stub.home, 'instance.lock'))).toBe(stub.child.pid)
  })

  test('leaves no program that was begun in the moment in which it was killed', async () => {
    const stub = await startStub(newHome(), 'stub-killed-early.mjs')
    await stub.exited
    expect(read(path.join(stub.home, 'orphan'))).toMatch(/^\d+$/)
    await waitUntil(() => survivors(stub.home).length === 0, { what: 'the end of the program' })
  })

  test('starts a crashed program again', async () => {
    const stub = await startedStub()
    const before = pidOf(stub.home, 'first')
    process.kill(before, 'SIGKILL')
    const after = await waitUntil(
      () => {
        const pid = pidOf(stub.home, 'first')
        return pid !== before && isAlive(pid) && pid
      },
      { what: 'the program to come back' },
    )
    expect(after).not.toBe(before)
    expect(stub.output()).toContain('first ended unexpectedly (SIGKILL)')
  })

  test('starts a crashed PostgreSQL again on its port', async () => {
    const stub = await startedStub()
    const before = serverPid(stub.home)
    process.kill(before, 'SIGKILL')
    await waitUntil(
      () => {
        const lines = read(path.join(stub.home, 'postgres/postmaster.pid')).split('\n')
        return Number(lines[0]) !== before && lines[7]?.trim() === 'ready'
      },
      { what: 'PostgreSQL to come back', timeoutMs: 120_000 },
    )
    const port = read(path.join(stub.home, 'postgres/postmaster.pid')).split('\n')[3]
    expect(stub.output()).toContain(`up ${port}`)
  })

  test('brings PostgreSQL back on another port when its own was taken, and its programs learn it', async () => {
    const stub = await startedStub()
    const port = Number(/^up (\d+)$/m.exec(stub.output())?.[1])
    const addressOf = (name: string) => read(path.join(stub.home, `${name}.pid`)).split(' ')[1] ?? ''
    expect(new URL(addressOf('first')).port).toBe(String(port))
    const thief = await waitUntil(
      () => {
        if (isAlive(serverPid(stub.home))) process.kill(serverPid(stub.home), 'SIGKILL')
        return listenOn(port)
      },
      { what: 'the port of a killed server' },
    )
    onTestFinished(() => {
      thief.close()
    })
    const moved = await waitUntil(
      () => {
        const ports = NAMES.map((name) => new URL(addressOf(name)).port)
        return ports.every((one) => one !== String(port)) ? addressOf('first') : ''
      },
      { what: 'the programs at the new address', timeoutMs: 120_000 },
    )
    const client = new pg.Client({ connectionString: moved.replace(/bloom$/, 'postgres') })
    client.on('error', () => {})
    await client.connect()
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await client.end()
    expect(stub.output()).toContain(`Port ${port} was taken meanwhile: PostgreSQL gets another one`)
    expect(stub.output()).not.toContain('first ended unexpectedly')
  })

  test('brings PostgreSQL back however often it is killed', async () => {
    const stub = await startedStub()
    const seen = new Set<number>()
    for (let n = 0; n < 5; n++) {
      const pid = await waitUntil(
        () => {
          const now = serverPid(stub.home)
          return !seen.has(now) && isAlive(now) ? now : 0
        },
        { what: 'the next server', timeoutMs: 120_000 },
      )
      seen.add(pid)
      process.kill(pid, 'SIGKILL')
    }
    await waitUntil(
      () => read(path.join(stub.home, 'postgres/postmaster.pid')).split('\n')[7]?.trim() === 'ready',
      {
        what: 'PostgreSQL to come back',
        timeoutMs: 120_000,
      },
    )
    expect(seen.has(serverPid(stub.home))).toBe(false)
  })

  test('does not take a home in which a restore was not completed, and lets it go', async () => {
    const home = newHome()
    fs.mkdirSync(path.join(home, 'restoring'))
    const stub = await startStub(home)
    expect(await stub.exited).toBe(1)
    expect(stub.output()).toContain(`A restore into ${home} was not completed`)
    expect(fs.readdirSync(home)).toEqual(['restoring'])
  })

  test('makes a home that is closed to other accounts, and leaves one that is there as it is', async () => {
    const home = newHome()
    fs.chmodSync(home, 0o750)
    const inside = path.join(home, 'made/here')
    for (const folder of [home, inside]) {
      const stub = await startStub(folder)
      await waitUntil(() => fs.existsSync(path.join(folder, 'instance.lock')), { what: 'the lock' })
      stub.child.kill('SIGTERM')
      await stub.exited
    }
    expect([home, inside].map((folder) => fs.statSync(folder).mode & 0o777)).toEqual([0o750, 0o700])
  })

  test('runs beside another home, and refuses a second one in its own', async () => {
    const [one, two] = await Promise.all([startedStub(), startedStub()])
    const third = await startStub(one.home)
    expect(await third.exited).toBe(1)
    expect(third.output()).toContain(`already runs in ${one.home} (process ${one.child.pid})`)
    one.child.kill('SIGTERM')
    await one.exited
    expect(survivors(one.home)).toEqual([])
    expect(survivors(two.home).length).toBeGreaterThanOrEqual(NAMES.length + 1)
  })
})
