import type { ConnectionTest } from '#contracts/runtime-settings.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type Admission, rateHeaders } from '#server/auth/rate-limits.ts'
import { requestGuards } from '#server/auth/request-guards.ts'
import { redact } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { type Asked, askControlPlane, type CallParts } from './call-control-plane.ts'
import { type ControlPlaneConfig, noKeyIn, readControlPlaneConfig } from './control-plane-config.ts'
import { recordContact } from './record-contact.ts'

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
  const failed = 'fault' in asked ? asked : null
  await recordContact(parts.db, { config, failed, isTest: true }, caller)
  if ('health' in asked) return ok({ connected: true, health: asked.health })
  return ok({ connected: false, fault: asked.fault, error: asked.message })
}

const tooMany = ({ resetSeconds }: Admission): Result<never> =>
  refuse({ code: 'RATE_LIMITED', message: 'Too many tests. Wait a little.', retryAfter: resetSeconds })

/** What answers may repeat what it was sent. */
const askFor = async (config: ControlPlaneConfig, parts: Parts): Promise<Asked> =>
  config.key === null
    ? noKeyIn(config)
    : redact(await askControlPlane({ url: config.url, key: config.key }, parts))
