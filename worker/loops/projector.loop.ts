import { CONSUMED_AT_ONCE, CONSUMER_REST_MS, consume, release } from '#server/outbox/consume.ts'
import { projectEvents, projectFamily } from '#server/outbox/project-events.ts'
import { retrySetAside } from '#server/outbox/retry-projection.ts'
import { projectRun } from '#server/runs/project-run.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 2_000
const NAME = 'projector'

/** How long a stopping worker goes on with what is left; the next one does the rest. */
const CATCH_UP_MS = 3_000

/**
 * Writes the objects that sealed events stand for; one worker at a time, the others take over when it stops. `stop` catches up first: the head of the audit that is signed
 * at the end attests events, and a home that loses its ledger then has their objects.
 */
export function projectorLoop(
  parts: Pick<Services, 'db' | 'store'>,
  holder: string,
): Loop & { stop(): Promise<void> } {
  const projector = { ...parts, projectRun: (id: string) => projectRun(parts, id) }
  const tick = async () => {
    const done = await consume(parts.db, {
      name: NAME,
      holder,
      before: () => retrySetAside(parts.db, (events, family) => projectFamily(projector, events, family)),
      handle: (events) => projectEvents(projector, events),
    })
    return done === CONSUMED_AT_ONCE ? 'again' : 'idle'
  }
  return {
    name: NAME,
    everyMs: SCAN_MS,
    on: ['sealed'],
    restMs: CONSUMER_REST_MS,
    tick,
    async stop() {
      const until = performance.now() + CATCH_UP_MS
      try {
        while ((await tick()) === 'again' && performance.now() < until);
      } finally {
        await release(parts.db, { name: NAME, holder })
      }
    },
  }
}
