import { controlPlaneHealth } from '#contracts/control-plane.contract.ts'
import type { Env } from '#server/env.ts'
import type { Finding } from './probe-health.ts'

const TIMEOUT_MS = 5_000

/** The health that the Membridge Control Plane reports at the address that nodes have; one that does not answer is unavailable. */
export async function probeControlPlane(env: Pick<Env, 'MEMBRIDGE_URL'>): Promise<Finding> {
  const health = await fetch(`${env.MEMBRIDGE_URL}/health`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
    .then(async (answer) => controlPlaneHealth.parse(await answer.json()))
    .catch(() => null)
  if (!health) return SILENT
  if (health.database === 'failing') return { status: 'unavailable', message: NO_LEDGER }
  return health.store === 'failing'
    ? { status: 'degraded', message: NO_STORE }
    : { status: 'healthy', message: null }
}

const NO_LEDGER = 'control_plane_ledger: The Membridge Control Plane does not reach the database.'
const NO_STORE = 'control_plane_store: The Membridge Control Plane does not reach the object store.'
const SILENT: Finding = {
  status: 'unavailable',
  message: 'control_plane_silent: The Membridge Control Plane does not answer.',
}
