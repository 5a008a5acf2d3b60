import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { closeOtherDatabases, prepareDatabase } from './database.mjs'
import { type PostgresServer, startPostgres } from './postgres.mjs'
import { isAlive } from './process-identity.mjs'

const PASSWORD = 'a password with / and @ in it'
let home: string
const servers: PostgresServer[] = []

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-postgres-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
  const data = path.join(home, 'data')
  if (fs.existsSync(data)) fs.rmSync(fs.realpathSync(data), { recursive: true })
  fs.rmSync(home, { recursive: true, force: true })
})

async function start(directory = path.join(home, 'data'), port?: number): Promise<PostgresServer> {
  const server = await startPostgres({ directory, password: PASSWORD, port })
  servers.push(server)
  return server
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

describe('startPostgres', () => {
  test('keeps its data over a stop and a new start', async () => {
    const first = await start()
    await query(first.urlOf('postgres'), 'CREATE TABLE kept (id int)')
    await first.stop()
    expect(isAlive(first.child.pid ?? 0)).toBe(false)
    const second = await start()
    expect(await query(second.urlOf('postgres'), 'SELECT * FROM kept')).toEqual([])
  })

  test('wants its password and listens on loopback alone', async () => {
    const server = await start()
    const wrong = new URL(server.urlOf('postgres'))
    wrong.password = 'guessed'
    await expect(query(wrong.toString(), 'SELECT 1')).rejects.toThrow('password authentication failed')
    expect(await query(server.urlOf('postgres'), 'SHOW listen_addresses')).toEqual([
      { listen_addresses: '127.0.0.1' },
    ])
  })

  test('ends a server that was left behind in its directory', async () => {
    const left = await start()
    await query(left.urlOf('postgres'), 'CREATE TABLE kept (id int)')
    const next = await start()
    expect(await left.exited).toContain('PostgreSQL ended')
    expect(await query(next.urlOf('postgres'), 'SELECT * FROM kept')).toEqual([])
  })

  test('takes a stale pid file of another living process for what it is', async () => {
    const first = await start()
    await first.stop()
    fs.writeFileSync(
      path.join(fs.realpathSync(path.join(home, 'data')), 'postmaster.pid'),
      `${process.pid}\n`,
    )
    const second = await start()
    expect(await query(second.urlOf('postgres'), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('begins anew where an initialisation was interrupted', async () => {
    const data = path.join(home, 'data')
    fs.mkdirSync(path.join(data, 'base'), { recursive: true })
    const server = await start()
    expect(await query(server.urlOf('postgres'), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('says what the server said when it cannot start', async () => {
    const blocker = net.createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => blocker.once('listening', resolve))
    const { port } = blocker.address() as net.AddressInfo
    await expect(start(undefined, port)).rejects.toThrow(/could not bind/)
    await new Promise((resolve) => blocker.close(resolve))
  })

  test.runIf(process.getuid?.() === 0)(
    'puts the data where nobody can reach it when the home is out of reach',
    async () => {
      fs.chmodSync(home, 0o700)
      const closed = path.join(home, 'closed/home')
      fs.mkdirSync(closed, { recursive: true })
      const directory = path.join(closed, 'postgres')
      const server = await start(directory)
      expect(fs.lstatSync(directory).isSymbolicLink()).toBe(true)
      expect(fs.statSync(home).mode & 0o777).toBe(0o700)
      await server.stop()
      const place = fs.realpathSync(directory)
      const again = await start(directory)
      expect(fs.realpathSync(directory)).toBe(place)
      await again.stop()
      fs.rmSync(place, { recursive: true })
    },
  )

  test.runIf(process.getuid?.() === 0)('opens its own home for passing through and no more', async () => {
    fs.chmodSync(home, 0o700)
    await start()
    expect(fs.statSync(home).mode & 0o777).toBe(0o701)
    expect(fs.lstatSync(path.join(home, 'data')).isSymbolicLink()).toBe(false)
  })
})

describe('prepareDatabase', () => {
  test('gives each process a role that reaches this database and no other', async () => {
    const server = await start()
    await closeOtherDatabases(server.urlOf('postgres'))
    const passwords = () => ({ owner: 'o', web: 'w', worker: 'x' })
    const { urls } = await prepareDatabase(server.urlOf('bloom'), { passwords })
    for (const [role, url] of Object.entries(urls)) {
      expect(await query(url, 'SELECT current_user AS name')).toEqual([{ name: `bloom_${role}` }])
      for (const other of ['postgres', 'template1']) {
        const there = new URL(url)
        there.pathname = `/${other}`
        await expect(query(there.toString(), 'SELECT 1')).rejects.toThrow('permission denied for database')
      }
      const wrong = new URL(url)
      wrong.password = 'guessed'
      await expect(query(wrong.toString(), 'SELECT 1')).rejects.toThrow('password authentication failed')
    }
  })

  test('creates and migrates what is not there, and knows it again', async () => {
    const server = await start()
    const url = server.urlOf('bloom')
    const first = await prepareDatabase(url)
    const second = await prepareDatabase(url)
    expect(first.applied.length).toBeGreaterThan(0)
    expect(second).toEqual({ ...first, applied: [] })
    const other = await prepareDatabase(server.urlOf('another'))
    expect(other.identity).not.toBe(first.identity)
  })
})
