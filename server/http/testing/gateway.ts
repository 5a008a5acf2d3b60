/**
 * The gateway over a real database, called as over HTTP. `as` gives a way to call REST as one kind of caller: people by the
 * cookie and headers of the console's pages, programs by bearer.
 */

import type { Hono } from 'hono'
import type pg from 'pg'
import pino from 'pino'
import { ensureOwner } from '#server/auth/ensure-owner.ts'
import { type NewSession, openSession } from '#server/auth/open-session.ts'
import { PEER_HEADER } from '#server/auth/request-facts.ts'
import { cookieName } from '#server/auth/session-cookie.ts'
import { signSession } from '#server/auth/session-token.ts'
import { loadEnv } from '#server/env.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { openNotifier } from '#server/ledger/notifier.ts'
import { openReads } from '#server/ledger/prisma.ts'
import type { Services } from '#server/services.ts'
import { createApp } from '../app.ts'
import type { Route } from '../route.ts'

const KEY = 'k'.repeat(43)

/** Headers of a request of this machine, as the process stamps it: keys are taken. */
export const OF_THIS_MACHINE = { [PEER_HEADER]: '127.0.0.1', host: 'localhost:3000' }

/** The environment of tests: keys that are long enough, limits high enough not to be met by chance. */
export const testEnv = (databaseUrl: string, more: Record<string, string> = {}) =>
  loadEnv({
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    BLOOM_HOME: '/nonexistent',
    BLOOM_SESSION_KEY: `session-${KEY}`,
    BLOOM_ZONE_KEY: `zone-${KEY}`,
    BLOOM_JOB_TOKEN_KEY: `job-${KEY}`,
    NOTEBOOKLM_API_KEY: `nlm-${KEY}`,
    MEMBRIDGE_CALLBACK_TOKEN: `callback-${KEY}`,
    MEMBRIDGE_CALLBACK_SIGNING_KEY: `signing-${KEY}`,
    AUDIT_SIGNING_KEY: `audit-${KEY}`,
    MEMBRIDGE_ADMIN_KEY: `admin-${KEY}`,
    MEMBRIDGE_AGENT_KEY: `agent-${KEY}`,
    RUNTIME_API_KEY: `runtime-${KEY}`,
    METRICS_TOKEN: `metrics-${KEY}`,
    RATE_OWNER_CHANGES: '100000',
    RATE_OWNER_READS: '100000',
    RATE_OPERATOR_CHANGES: '100000',
    RATE_OPERATOR_READS: '100000',
    RATE_GUEST_READS: '100000',
    RATE_ANONYMOUS_CHANGES: '100000',
    RATE_ANONYMOUS_READS: '100000',
    ...more,
  })

export type TestGateway = {
  services: Services
  /** The ledger under other accounts than the web process's. */
  ledger: TestDatabase
  app: Hono
  /** Headers of a page of the console that is signed in with this session. */
  page(session: {
    sid: string
    role: string
    identity: string
    expiresAt: Date
  }): Promise<Record<string, string>>
  bearer(session: {
    sid: string
    role: string
    identity: string
    expiresAt: Date
  }): Promise<Record<string, string>>
  open(session: Partial<NewSession>): ReturnType<typeof openSession>
  close(): Promise<void>
}

export async function testGateway(
  options: {
    routes?: readonly Route[]
    env?: Record<string, string>
    over?: { services: Services; ledger: TestDatabase }
  } = {},
): Promise<TestGateway> {
  const own = options.over ? null : await ownServices(options.env)
  const { services, ledger } = (options.over ?? own) as { services: Services; ledger: TestDatabase }
  const { env, database } = services
  const { origin, host } = new URL(env.PUBLIC_URL)
  return {
    services,
    ledger,
    app: createApp(async () => services, options.routes),
    open: (session) =>
      openSession(database, {
        role: 'owner',
        identity: 'owner',
        via: 'console',
        addressHash: 'test',
        byPassword: false,
        ...(session.role === undefined || session.role === 'owner' ? { accountId: 'owner' } : {}),
        ...session,
      }),
    page: async ({ sid, role, identity, expiresAt }) => ({
      cookie: `${cookieName(env.PUBLIC_URL)}=${await signSession(env.BLOOM_SESSION_KEY, 'cookie', { sid, sub: identity, role, expiresAt })}`,
      'x-garden': '1',
      origin,
      host,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    }),
    bearer: async ({ sid, role, identity, expiresAt }) => ({
      authorization: `Bearer ${await signSession(env.BLOOM_SESSION_KEY, 'bearer', { sid, sub: identity, role, expiresAt })}`,
      'content-type': 'application/json',
    }),
    close: async () => own?.close(),
  }
}

/** What the gateway itself needs of the services, on a database of its own. */
async function ownServices(more: Record<string, string> | undefined) {
  const base = await createTestDatabase()
  const env = testEnv(base.webUrl, more)
  const notifier = openNotifier(base.webUrl)
  const database = openDatabase(base.webUrl, { connections: 6, notify: notifier.notify })
  const reads = openReads(database)
  const services = { env, database, db: database, reads, notifier, log: pino({ level: 'silent' }) }
  await ensureOwner(services as unknown as Services)
  const close = async () => {
    await notifier.close()
    await reads.$disconnect()
    await database.close()
    await base.drop()
  }
  return { services: services as unknown as Services, ledger: base, close }
}

/**
 * A digest of every row of every table but those that refusals are recorded in; equal before and after a refusal. What the
 * Inbox keeps of a refused submission is such a record too ([inbox#admission-checks]): its rejected entry, and the count
 * of how often a waiting proposal was seen again. The mirror of leases follows the store with every look at it ([membridge#mirror]), and what a
 * guest read is written after the answer ([zones#readings]).
 */
export async function ledgerDigest({ database: { pool } }: Services): Promise<string> {
  digestStatement ??= await digestOfTables(pool)
  const { rows } = await pool.query<{ digest: string }>({ name: 'ledger-digest', text: digestStatement })
  return rows[0]?.digest ?? ''
}

/** Every database of a run is a copy of one template, so they have the same tables. */
let digestStatement: string | undefined

/** One statement for all tables: it is asked after every request. */
async function digestOfTables(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
       AND table_name NOT IN ('event', 'event_seal', 'event_head', 'audit_head', 'rate_slice', 'metric_total', 'metric_point', 'membridge_lease', 'zone_reading', '_prisma_migrations') ORDER BY 1`,
  )
  const digests = rows.map(({ name }) => {
    const { row, where } = KEPT[name] ?? { row: 't::text', where: 'true' }
    return `'${name}:' || (SELECT md5(coalesce(string_agg(${row}, E'\\n' ORDER BY ${row}), '')) FROM "${name}" t WHERE ${where})`
  })
  return `SELECT concat_ws(E'\\n', ${digests.join(', ')}) AS digest`
}

const KEPT: Record<string, { row: string; where: string }> = {
  inbox_entry: { row: 't::text', where: `t.status <> 'rejected'` },
  proposal: { row: `(to_jsonb(t) - 'seen_again' - 'updated_at')::text`, where: 'true' },
}
