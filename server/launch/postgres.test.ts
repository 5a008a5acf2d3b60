import { execFileSync } from 'node:child_process'
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

  test('keeps its data inside a home that is closed to everybody else, and opens nothing', async () => {
    const closed = path.join(home, 'closed/home')
    fs.mkdirSync(closed, { recursive: true })
    const folders = [home, path.dirname(closed), closed]
    for (const folder of folders) fs.chmodSync(folder, 0o700)
    const directory = path.join(closed, 'postgres')
    const server = await start(directory)
    await query(server.urlOf('postgres'), 'CREATE TABLE kept (id int)')
    expect(fs.lstatSync(directory).isDirectory()).toBe(true)
    expect(folders.map((folder) => fs.statSync(folder).mode & 0o777)).toEqual([0o700, 0o700, 0o700])
    await server.stop()
    const again = await start(directory)
    expect(await query(again.urlOf('postgres'), 'SELECT * FROM kept')).toEqual([])
  })

  test('starts a copy beside its running original, whose pid file came with it', async () => {
    const original = await start()
    await query(original.urlOf('postgres'), 'CREATE TABLE kept (id int); CHECKPOINT')
    const copied = path.join(home, 'copy')
    execFileSync('cp', ['-a', path.join(home, 'data'), copied])
    expect(fs.existsSync(path.join(copied, 'postmaster.pid'))).toBe(true)
    const copy = await start(copied)
    expect(copy.port).not.toBe(original.port)
    await query(copy.urlOf('postgres'), 'INSERT INTO kept VALUES (1)')
    expect(await query(original.urlOf('postgres'), 'SELECT * FROM kept')).toEqual([])
    await copy.stop()
    expect(isAlive(original.child.pid ?? 0)).toBe(true)
  })

  test('takes data that lies outside into the home, and leaves what is outside', async () => {
    const outside = path.join(home, 'outside')
    const first = await start(outside)
    await query(first.urlOf('postgres'), 'CREATE TABLE kept (id int)')
    const directory = path.join(home, 'data')
    fs.symlinkSync(outside, directory)
    await expect(start(directory)).rejects.toThrow(/a PostgreSQL runs on it/)
    expect(isAlive(first.child.pid ?? 0)).toBe(true)
    await first.stop()
    const inside = await start(directory)
    expect(fs.lstatSync(directory).isDirectory()).toBe(true)
    expect(await query(inside.urlOf('postgres'), 'SELECT * FROM kept')).toEqual([])
    const left = await start(outside)
    expect(await query(left.urlOf('postgres'), 'SELECT * FROM kept')).toEqual([])
  })

  test('refuses a link that leads to no database', async () => {
    const directory = path.join(home, 'data')
    fs.symlinkSync(path.join(home, 'gone'), directory)
    await expect(start(directory)).rejects.toThrow(/the ledger of this home is not here/)
    fs.rmSync(directory)
  })
})

describe('prepareDatabase', () => {
  test('gives each process a role that reaches this database and no other', async () => {
    const server = await start()
    await closeOtherDatabases(server.urlOf('postgres'))
    const passwords = () => ({ owner: 'o', web: 'w', worker: 'x', control_plane: 'c' })
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
