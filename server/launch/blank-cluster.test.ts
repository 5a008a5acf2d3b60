import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { copyBlank } from './blank-cluster.mjs'
import { prepareDataDirectory } from './data-directory.mjs'
import { prepareDatabase, withClient } from './database.mjs'
import { runUnreachable } from './initialise.mjs'
import { type PostgresServer, startPostgres } from './postgres.mjs'
import { installedBinaries } from './postgres-binaries.mjs'

const PASSWORDS = ["of one, with a ' in it", 'of the other']
let home: string
let servers: [PostgresServer, PostgresServer]

const startCopy = (name: string, password: string) =>
  startPostgres({ directory: path.join(home, name), password, make: copyBlank, settings: { fsync: 'off' } })

beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-blank-'))
  fs.chmodSync(home, 0o711)
  const [one = '', other = ''] = PASSWORDS
  servers = [await startCopy('one', one), await startCopy('other', other)]
})
afterAll(async () => {
  for (const server of servers ?? []) await server.stop()
  fs.rmSync(home, { recursive: true, force: true })
})

const databaseOf = (server: PostgresServer) => server.urlOf('bloom')
const prepare = (server: PostgresServer, password: string) =>
  prepareDatabase(databaseOf(server), {
    passwords: () => ({ owner: password, web: password, worker: password, control_plane: password }),
  })
const userOf = (url: string) =>
  withClient(url, async (client) => (await client.query('SELECT current_user AS name')).rows[0].name)

test('each copy is migrated, is a database of its own, and takes its own passwords', async () => {
  const [one, other] = [await prepare(servers[0], 'a'), await prepare(servers[1], 'b')]
  expect([one.applied, other.applied]).toEqual([[], []])
  expect(one.identity).not.toBe(other.identity)
  expect(await userOf(one.urls.worker)).toBe('bloom_worker')
  expect(await userOf(other.urls.owner)).toBe('bloom_owner')
})

test('the password of one opens no other', async () => {
  const [one, other] = servers
  expect(await userOf(databaseOf(one))).toBe('bloom')
  const crossed = new URL(databaseOf(other))
  crossed.password = new URL(databaseOf(one)).password
  await expect(userOf(crossed.toString())).rejects.toThrow('password authentication failed')
})

test('its book of migrations is of the moment that it was copied', async () => {
  const times = await withClient(databaseOf(servers[0]), async (client) => {
    const { rows } = await client.query('SELECT DISTINCT started_at, finished_at FROM _prisma_migrations')
    return rows
  })
  expect(times).toHaveLength(1)
})

test('a statement that fails ends the preparation and says why', async () => {
  const directory = path.join(home, 'refused')
  const binaries = installedBinaries()
  await copyBlank(directory, { binaries, password: 'x', flush: false })
  const statements = ['SELECT no_such_function()', 'CREATE TABLE never (id int)']
  const work = { binaries, database: 'bloom', statements }
  await expect(runUnreachable(prepareDataDirectory(directory), work)).rejects.toThrow('no_such_function')
})

test('the server that a killed start left in a copy of its own is ended by the next one', async () => {
  const left = await startCopy('again.new-1/data', 'of nobody')
  const ended = left.exited
  const next = await startCopy('again', 'of somebody')
  onTestFinished(() => next.stop())
  expect(await ended).toContain('exit code 0')
  expect(fs.readdirSync(home).filter((name) => name.startsWith('again.new'))).toEqual([])
})

test.each(['EACCES', 'EROFS'])('a checkout that is closed (%s) is done without', async (code) => {
  const read = vi.spyOn(fs, 'cpSync').mockImplementationOnce(() => {
    throw Object.assign(new Error('closed'), { code })
  })
  onTestFinished(() => read.mockRestore())
  const server = await startCopy(code, 'alone')
  onTestFinished(() => server.stop())
  const { applied } = await prepare(server, 'c')
  expect(applied.length).toBeGreaterThan(0)
})

test('any other fault ends the start, and nothing is left', async () => {
  const read = vi.spyOn(fs, 'cpSync').mockImplementationOnce(() => {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  })
  onTestFinished(() => read.mockRestore())
  await expect(startCopy('full', 'x')).rejects.toThrow('no space left')
  expect(fs.readdirSync(home).filter((name) => name.startsWith('full'))).toEqual([])
})
