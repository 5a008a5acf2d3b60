/**
 * Which Membridge Control Plane the runtime calls, and under which key [runtime#control-plane]: that of the environment until an owner names another.
 *
 * A key belongs to the origin that it was given for. It is encrypted under a key derived from the session key of this installation and that origin, so the
 * ledger shows nothing, a copied home has none, and no change of the address alone can make it readable for another host.
 */
import { hkdfSync } from 'node:crypto'
import sql from 'sql-template-tag'
import type {
  ConnectionFault,
  ControlPlaneConnection,
  RuntimeConfig,
} from '#contracts/runtime-settings.contract.ts'
import { maskedKey } from '#domain/secret/mask-key.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { protectSecrets } from '#server/redaction/redact.ts'
import { decrypt, encrypt } from '#server/tokens/encrypt.ts'
import { msOf } from './runtime-rows.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    runtime_config: { fault: ConnectionFault | null }
  }
}

export type ConfigEnv = { MEMBRIDGE_URL: string; MEMBRIDGE_ADMIN_KEY: string; BLOOM_SESSION_KEY: string }

export type ControlPlaneConfig = {
  url: string
  /** Null where there is none, or none that can be read. */
  key: string | null
  /** A key is stored that this installation cannot read: its session key was replaced. */
  unreadable: boolean
  source: RuntimeConfig['source']
  revision: number
  /** Of this very address; null without one. */
  test: { at: Date; fault: ConnectionFault | null; message: string | null } | null
  failures: number
  lastSuccess: Date | null
}

const COLUMNS = [
  'server_url',
  'admin_key',
  'revision',
  'tested_url',
  'tested_at',
  'fault',
  'message',
  'consecutive_failures',
  'last_success_at',
] as const
type ConfigRow = Row<'runtime_config', (typeof COLUMNS)[number]>

export const isSameOrigin = (one: string, other: string): boolean =>
  new URL(one).origin === new URL(other).origin

/** @param lock when it is read in order to be changed */
export async function readControlPlaneConfig(
  db: Db,
  env: ConfigEnv,
  { lock = false } = {},
): Promise<ControlPlaneConfig> {
  const { rows } = await db.query<ConfigRow>(
    sql`SELECT ${columns('runtime_config', 'c', COLUMNS)} FROM runtime_config c ${lock ? sql`FOR UPDATE` : sql``}`,
  )
  const row = rows[0]
  if (!row) throw new Error('runtime_config has no row')
  const url = row.server_url ?? env.MEMBRIDGE_URL
  const key = keyOf(row, url, env)
  if (key !== null) protectSecrets([key])
  const isOfThis = row.tested_url === url
  return {
    ...{ url, key, unreadable: row.admin_key !== null && key === null, revision: row.revision },
    source: row.server_url === null ? 'environment' : 'settings',
    test: isOfThis && row.tested_at ? { at: row.tested_at, fault: row.fault, message: row.message } : null,
    failures: isOfThis ? row.consecutive_failures : 0,
    lastSuccess: isOfThis ? row.last_success_at : null,
  }
}

/** The stored key, else that of the environment, which goes to the environment's own host alone. */
function keyOf({ admin_key }: Pick<ConfigRow, 'admin_key'>, url: string, env: ConfigEnv): string | null {
  if (admin_key !== null) return decrypt(admin_key, derivedKey(url, env))
  return isSameOrigin(url, env.MEMBRIDGE_URL) ? env.MEMBRIDGE_ADMIN_KEY : null
}

const derivedKey = (url: string, { BLOOM_SESSION_KEY }: Pick<ConfigEnv, 'BLOOM_SESSION_KEY'>): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', BLOOM_SESSION_KEY, new URL(url).origin, 'control plane admin key', 32))

/** The key as it is stored for this address. */
export const storedKey = (key: string, url: string, env: ConfigEnv): Uint8Array =>
  encrypt(key, derivedKey(url, env))

/** Why nothing is called where there is no key. */
export function noKeyIn({ unreadable }: Pick<ControlPlaneConfig, 'unreadable'>): {
  fault: ConnectionFault
  message: string
} {
  const fault = unreadable ? 'key_unreadable' : 'no_key'
  return { fault, message: NO_KEY[fault] }
}

const NO_KEY = {
  no_key: 'There is no admin key for this address. Enter it.',
  key_unreadable:
    'The stored admin key can no longer be read: this installation has other keys than before. Enter it again.',
} as const

const isConnected = ({ test }: ControlPlaneConfig): boolean => test !== null && test.fault === null

/** As it is shown: never more of the key than its mask. */
export const configView = (config: ControlPlaneConfig): RuntimeConfig => ({
  membridge_server_url: config.url,
  admin_key_masked: maskedKey(config.key),
  connected: isConnected(config),
  last_test: config.test && {
    at: msOf(config.test.at),
    connected: config.test.fault === null,
    fault: config.test.fault,
    error: config.test.message,
  },
  source: config.source,
})

export const connectionView = (config: ControlPlaneConfig): ControlPlaneConnection => ({
  consecutiveFailures: config.failures,
  lastSuccess: config.lastSuccess && msOf(config.lastSuccess),
  lastError: config.test?.message ?? null,
  connected: isConnected(config),
})
