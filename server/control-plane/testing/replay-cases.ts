/** Sends cases to a fresh instance of the process, by a client that shares nothing with the server, and compares every byte that comes back. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { ADMIN_KEY, runControlPlane } from './control-plane-process.ts'
import type { WireCase } from './registry-cases.ts'
import type { WireAnswer, WireClient, WireRequest } from './wire-clients.ts'

const KEYS: Record<NonNullable<WireCase['keys']>, Record<string, string>> = {
  admin: { 'X-MEMBRIDGE-ADMIN': ADMIN_KEY },
  none: {},
  wrong: { 'X-MEMBRIDGE-ADMIN': `${ADMIN_KEY}x` },
  'other kind': { 'X-MEMBRIDGE-AGENT': ADMIN_KEY, Authorization: `Bearer ${ADMIN_KEY}` },
}

/** An instance with an empty ledger and an empty store, which ends with the test. */
async function freshInstance(): Promise<{ origin: string; store: ObjectStore }> {
  const database = await createTestDatabase()
  const home = await mkdtemp(path.join(tmpdir(), 'bloom-wire-'))
  const plane = await runControlPlane({ DATABASE_URL: database.controlPlaneUrl, BLOOM_HOME: home })
  onTestFinished(async () => {
    await plane.stop()
    await database.drop()
    await rm(home, { recursive: true, force: true })
  })
  return { origin: plane.url, store: await openDirectoryStore(path.join(home, 'objects')) }
}

function requestOf({ at, body, keys = 'admin' }: WireCase, origin: string, id: string): WireRequest {
  const [method = '', path = ''] = at.split(' ')
  const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' }
  return {
    ...{ method, url: `${origin}${path}` },
    headers: { ...KEYS[keys], ...json, 'X-Request-ID': id },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  }
}

const TIMES =
  /(?<="(?:created_at|last_seen|registered_at|issued_at|expires_at|pushed_at)":)(\d{10}(?:\.\d{1,6})?)\b/g
const SPANS = /(?<="(?:ttl_seconds|age_seconds)":)\d+(?:\.\d+)?\b/g
const LEASE_SECONDS = 3_600

/** The answer with `<t>` where a time of about now or of the end of a lease stands, and `<s>` for what is left or passed. */
export const timeless = (text: string): string =>
  text
    .replaceAll(TIMES, (time) =>
      Math.abs(Number(time) - Date.now() / 1_000) < LEASE_SECONDS + 600 ? '<t>' : time,
    )
    .replaceAll(SPANS, '<s>')
    .replaceAll(/\b\d+(?= s: \w+ is pushing)/g, '<s>')
    .replaceAll(/(?<="grant_id":")[0-9a-f]{16}/g, '<id>')

/**
 * Sends the cases in their order; those that need something done before begin a new round of the client. What came back, and what was to
 * come, in one form.
 */
export async function replayCases({ send }: WireClient, cases: readonly WireCase[]) {
  const { origin, store } = await freshInstance()
  const answers: WireAnswer[] = []
  for (const [first, round] of roundsOf(cases)) {
    await round[0]?.before?.(store)
    answers.push(...(await send(round.map((one, n) => requestOf(one, origin, `case ${first + n}`)))))
  }
  const got = cases.map(({ name }, n) => {
    const { status, text, type, id } = answers[n] ?? { status: 0, text: '', type: '', id: '' }
    return { name, status, type, id, answer: timeless(text) }
  })
  const wanted = cases.map(({ name, status, answer }, n) => {
    const type = status === 204 ? null : 'application/json; charset=utf-8'
    return { name, status, type, id: `case ${n}`, answer }
  })
  return { got, wanted }
}

function roundsOf(cases: readonly WireCase[]): [number, WireCase[]][] {
  const rounds: [number, WireCase[]][] = []
  for (const [n, one] of cases.entries()) {
    const last = rounds.at(-1)
    if (last && !one.before) last[1].push(one)
    else rounds.push([n, [one]])
  }
  return rounds
}
