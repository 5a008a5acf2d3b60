import sql from 'sql-template-tag'
import type { ConnectionFault, ConnectionTest } from '#contracts/runtime-settings.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type Admission, rateHeaders } from '#server/auth/rate-limits.ts'
import { requestGuards } from '#server/auth/request-guards.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { redact } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { type Asked, askControlPlane, type CallParts } from './call-control-plane.ts'
import { CONTROL_PLANE_SETTING } from './configure-control-plane.ts'
import { type ControlPlaneConfig, readControlPlaneConfig } from './control-plane-config.ts'

/** Apart from the requests of the surface: a test calls another machine. */
const LIMIT = { scope: 'test-connection', perMinute: 20 }

type Parts = Pick<Services, 'db' | 'database' | 'env'> & Omit<CallParts, 'env'>

/**
 * Calls the control plane under the stored key and keeps how that ended. A configuration that changed meanwhile keeps nothing of it: its own test has
 * still to come. 429 after 20 tests within a minute, with `RateLimit-*` in `headers`.
 */
export async function testConnection(
  parts: Parts,
  { caller, address, headers }: { caller: Caller; address: string; headers?: Headers },
): Promise<Result<ConnectionTest>> {
  const { limits } = requestGuards(parts)
  const admission = await limits.admitTo(LIMIT, parts.env, caller, address, Date.now())
  for (const [name, value] of Object.entries(rateHeaders(admission))) headers?.set(name, value)
  if (!admission.allowed) return tooMany(admission)
  const config = await readControlPlaneConfig(parts.db, parts.env)
  const asked = await askFor(config, parts)
  await record(parts.db, { config, asked }, caller)
  if ('health' in asked) return ok({ connected: true, health: asked.health })
  return ok({ connected: false, fault: asked.fault, error: asked.message })
}

const tooMany = ({ resetSeconds }: Admission): Result<never> =>
  refuse({ code: 'RATE_LIMITED', message: 'Too many tests. Wait a little.', retryAfter: resetSeconds })

async function askFor({ url, key, unreadable }: ControlPlaneConfig, parts: Parts): Promise<Asked> {
  // What answers may repeat what it was sent.
  if (key !== null) return redact(await askControlPlane({ url, key }, parts))
  const fault: ConnectionFault = unreadable ? 'key_unreadable' : 'no_key'
  return { fault, message: NO_KEY[fault] }
}

const NO_KEY = {
  no_key: 'There is no admin key for this address. Enter it.',
  key_unreadable:
    'The stored admin key can no longer be read: this installation has other keys than before. Enter it again.',
} as const

const MESSAGE_CHARACTERS = 500

async function record(
  db: Db,
  { config, asked }: { config: ControlPlaneConfig; asked: Asked },
  caller: Caller,
): Promise<void> {
  const failed = 'fault' in asked ? asked : null
  const message = failed?.message.slice(0, MESSAGE_CHARACTERS) ?? null
  await db.transaction(async (tx) => {
    await tx.query(sql`UPDATE runtime_config SET tested_url = ${config.url}, tested_at = clock_timestamp(), fault = ${failed?.fault ?? null}, message = ${message},
        consecutive_failures = CASE WHEN ${failed !== null} THEN CASE WHEN tested_url = ${config.url} THEN consecutive_failures ELSE 0 END + 1 ELSE 0 END,
        last_success_at = CASE WHEN ${failed === null} THEN clock_timestamp() WHEN tested_url = ${config.url} THEN last_success_at END
      WHERE revision = ${config.revision}`)
    await recordEvent(tx, {
      ...{ name: 'config.tested', actor: caller, resource: CONTROL_PLANE_SETTING },
      outcome: failed ? 'error' : 'ok',
      details: {
        membridge_server_url: config.url,
        ...(failed ? { fault: failed.fault, cause: message } : {}),
      },
    })
  })
}
