import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stage, stagedName, sweepStaging } from './durable-file.ts'
import { ownIdentity } from './process-identity.ts'

let staging: string
beforeEach(async () => {
  staging = await mkdtemp(join(tmpdir(), 'bloom-staging-'))
})
afterEach(() => rm(staging, { recursive: true, force: true }))

const UUID_LENGTH = 36
const SECOND = 1_000
const HOUR = 3_600 * SECOND

/** A file that was last written some time ago; gives its name. */
async function leave(name: string, ageMs: number): Promise<string> {
  const path = join(staging, name)
  const when = new Date(Date.now() - ageMs)
  await writeFile(path, 'x')
  await utimes(path, when, when)
  return name
}

/** The id of a process of this host that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await new Promise((resolve) => child.once('exit', resolve))
  return child.pid ?? 0
}

test('a staged file names the process that writes it', async () => {
  const path = await stage(staging, 'x')
  expect(basename(path).slice(0, -UUID_LENGTH)).toBe(stagedName().slice(0, -UUID_LENGTH))
})

test('what a living process stages is kept for a day, however long its source stalls', async () => {
  const stalled = await leave(stagedName(), 23 * HOUR)
  const forgotten = await leave(stagedName(), 25 * HOUR)
  expect(await sweepStaging(staging)).toEqual([forgotten])
  expect(await readdir(staging)).toEqual([stalled])
})

test('what a dead process of this host staged goes after 30 s, also when its id lives again', async () => {
  const own = ownIdentity()
  const ended = { ...own, pid: await deadPid() }
  const dead = await leave(stagedName(ended), 31 * SECOND)
  const earlier = await leave(stagedName({ ...own, started: `1${own.started}` }), 31 * SECOND)
  const fresh = await leave(stagedName(ended), SECOND)
  expect((await sweepStaging(staging)).sort()).toEqual([dead, earlier].sort())
  expect(await readdir(staging)).toEqual([fresh])
})

test('what another host staged goes after a day, whatever its process id means here', async () => {
  const other = { ...ownIdentity(), host: 'another boot', pid: await deadPid() }
  const young = await leave(stagedName(other), 23 * HOUR)
  const old = await leave(stagedName(other), 25 * HOUR)
  expect(await sweepStaging(staging)).toEqual([old])
  expect(await readdir(staging)).toEqual([young])
})
