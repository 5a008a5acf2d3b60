import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import { openSession } from '#server/auth/open-session.ts'
import { signSession } from '#server/auth/session-token.ts'
import { makeFirstGarden } from '#server/composition/make-first-garden.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { testEnv } from './testing/gateway.ts'

const PROGRAM = path.join(import.meta.dirname, 'testing/web-process.ts')
const ATTEMPTS = 7

async function startWeb() {
  const home = await mkdtemp(path.join(tmpdir(), 'bloom-web-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  await mkdir(path.join(home, 'notes'))
  await writeFile(path.join(home, 'notes/a.md'), 'A note.\n')
  await makeFirstGarden({ BLOOM_HOME: home }, path.join(home, 'notes'), [])
  const ledger = await createTestDatabase()
  onTestFinished(ledger.drop)
  const given = Object.entries(testEnv(ledger.webUrl)).filter(([, value]) => typeof value === 'string')
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...process.env, ...Object.fromEntries(given), BLOOM_HOME: home, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, ledger, url: `http://127.0.0.1:${String(line).split(' ')[1]}` }
}

async function endOf(child: ChildProcess, signal: 'SIGTERM' | 'SIGINT'): Promise<unknown> {
  const ended = once(child, 'exit')
  child.kill(signal)
  return (await ended)[0]
}

async function refusals(url: string): Promise<unknown[]> {
  const database = openDatabase(url)
  const { rows } = await database.query(sql`SELECT (details->>'count')::int AS count FROM event
    WHERE name = 'access.refused' AND error_code = 'AUTH_REQUIRED' ORDER BY id`)
  await database.close()
  return rows
}

/** An open stream of the owner's. */
async function openedStream(url: string, databaseUrl: string): Promise<Response> {
  const database = openDatabase(databaseUrl)
  const owner = { role: 'owner', identity: 'owner', accountId: 'owner', via: 'api' } as const
  const session = await openSession(database, { ...owner, addressHash: 'test', byPassword: false })
  await database.close()
  const claims = { sid: session.sid, sub: 'owner', role: 'owner', expiresAt: session.expiresAt } as const
  const token = await signSession(testEnv(databaseUrl).BLOOM_SESSION_KEY, 'bearer', claims)
  return fetch(`${url}/api/v1/events/stream`, { headers: { authorization: `Bearer ${token}` } })
}

test('a process that is told to stop ends its streams and writes the refusals that it only counted', async () => {
  const { child, ledger, url } = await startWeb()
  for (let n = 0; n < ATTEMPTS; n++) expect((await fetch(`${url}/api/v1/zones`)).status).toBe(401)
  expect(await refusals(ledger.webUrl)).toEqual([{ count: 1 }])
  const stream = await openedStream(url, ledger.webUrl)
  expect(stream.status).toBe(200)
  expect(await endOf(child, 'SIGTERM')).toBe(143)
  // Read to its end: an answer that was cut off would throw.
  expect(await stream.text()).not.toContain('data:')
  expect(await refusals(ledger.webUrl)).toEqual([{ count: 1 }, { count: ATTEMPTS - 1 }])
})

test('a process that nobody has asked anything stops, too', async () => {
  const { child } = await startWeb()
  expect(await endOf(child, 'SIGINT')).toBe(130)
})
