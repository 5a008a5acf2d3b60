import type { ControlPlaneHealth } from '#contracts/control-plane.contract.ts'
import { withTimeout } from '#server/concurrency/with-timeout.ts'
import { countRegistrations, type Registrations } from '#server/membridge/count-registrations.query.ts'
import type { Services } from '#server/services.ts'
import { VERSION } from '#server/system/version.ts'

type Parts = Pick<Services, 'db' | 'store'>
type Answer<T> = { ok: true; value: T } | { ok: false }

/** Anybody may ask, so all that ask within a second share one look. */
const LOOK_MS = 1_000
const PATIENCE_MS = 3_000
const PROBED_KEY = 'health/probe.json'

/** The health of this process, looked at no more than once a second. Never rejects. */
export function healthLook(): (parts: Parts) => Promise<ControlPlaneHealth> {
  let last: { at: number; health: Promise<ControlPlaneHealth> } | null = null
  const count = oneAtATime(({ db }: Parts) => countRegistrations({ db }))
  const head = oneAtATime(({ store }: Parts) => store.head(PROBED_KEY))
  const look = async (parts: Parts) =>
    healthOf(...(await Promise.all([within(() => count(parts)), within(() => head(parts))])))
  return (parts) => {
    const now = performance.now()
    if (!last || now - last.at >= LOOK_MS) last = { at: now, health: look(parts) }
    return last.health
  }
}

/** Whoever asks while a question is under way shares it: one that hangs is not asked again beside itself. */
function oneAtATime<T>(ask: (parts: Parts) => Promise<T>): (parts: Parts) => Promise<T> {
  let underWay: Promise<T> | null = null
  return (parts) => {
    underWay ??= ask(parts).finally(() => {
      underWay = null
    })
    return underWay
  }
}

function healthOf(counted: Answer<Registrations>, probed: Answer<unknown>): ControlPlaneHealth {
  return {
    status: counted.ok ? 'ok' : 'unavailable',
    service: 'membridge-control-plane',
    version: VERSION,
    projects: counted.ok ? counted.value.projects : null,
    agents: counted.ok ? counted.value.agents : null,
    store: probed.ok ? 'ok' : 'failing',
    database: counted.ok ? 'ok' : 'failing',
  }
}

const within = <T>(ask: () => Promise<T>): Promise<Answer<T>> =>
  withTimeout({ ms: PATIENCE_MS }, ask).then(
    (value) => ({ ok: true, value }),
    () => ({ ok: false }),
  )
