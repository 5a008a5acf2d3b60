import sql from 'sql-template-tag'
import type { ControlPlaneHealth } from '#contracts/control-plane.contract.ts'
import { withTimeout } from '#server/concurrency/with-timeout.ts'
import type { Services } from '#server/services.ts'
import { VERSION } from '#server/system/version.ts'

type Parts = Pick<Services, 'db' | 'store'>

/** Anybody may ask, so all that ask within a second share one look. */
const LOOK_MS = 1_000
const PATIENCE_MS = 3_000
const PROBED_KEY = 'health/probe.json'

/** The health of this process, looked at no more than once a second. Never rejects. */
export function healthLook(): (parts: Parts) => Promise<ControlPlaneHealth> {
  let last: { at: number; health: Promise<ControlPlaneHealth> } | null = null
  return (parts) => {
    const now = performance.now()
    if (!last || now - last.at >= LOOK_MS) last = { at: now, health: look(parts) }
    return last.health
  }
}

async function look({ db, store }: Parts): Promise<ControlPlaneHealth> {
  const [database, objects] = await Promise.all([
    answers(() => db.query(sql`SELECT 1`)),
    answers(() => store.head(PROBED_KEY)),
  ])
  const counted = database === 'ok' ? 0 : null
  return {
    status: database === 'ok' ? 'ok' : 'unavailable',
    service: 'membridge-control-plane',
    version: VERSION,
    projects: counted,
    agents: counted,
    store: objects,
    database,
  }
}

const answers = (ask: () => Promise<unknown>): Promise<'ok' | 'failing'> =>
  withTimeout({ ms: PATIENCE_MS }, ask).then(
    () => 'ok' as const,
    () => 'failing' as const,
  )
