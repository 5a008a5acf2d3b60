import { CONSUMED_AT_ONCE, CONSUMER_REST_MS, consume, release } from '#server/outbox/consume.ts'
import { projectEvents, projectFamily } from '#server/outbox/project-events.ts'
import { retrySetAside } from '#server/outbox/retry-projection.ts'
import { projectRun } from '#server/runs/project-run.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 2_000
const NAME = 'projector'

/** Writes the objects that sealed events stand for; one worker at a time, the others take over when it stops. */
export function projectorLoop(
  parts: Pick<Services, 'db' | 'store'>,
  holder: string,
): Loop & { stop(): Promise<void> } {
  const projector = { ...parts, projectRun: (id: string) => projectRun(parts, id) }
  return {
    name: NAME,
    everyMs: SCAN_MS,
    on: ['sealed'],
    restMs: CONSUMER_REST_MS,
    async tick() {
      const done = await consume(parts.db, {
        name: NAME,
        holder,
        before: () => retrySetAside(parts.db, (events, family) => projectFamily(projector, events, family)),
        handle: (events) => projectEvents(projector, events),
      })
      return done === CONSUMED_AT_ONCE ? 'again' : 'idle'
    },
    stop: () => release(parts.db, { name: NAME, holder }),
  }
}
