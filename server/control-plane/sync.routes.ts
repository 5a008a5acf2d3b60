import { syncAnswer, syncAskedRequest } from '#contracts/membridge.contract.ts'
import { SYNC_ACTIONS, type SyncAction } from '#domain/membridge/sync.machine.ts'
import { type Route, route } from '#server/http/route.ts'
import { runSync } from '#server/membridge/run-sync.ts'

const SUMMARIES: Record<SyncAction, string> = {
  push: 'Push the database of a node, and wait for its report',
  pull: 'Pull the database to a node, and wait for its report',
}

/** Syncs by the names of a project and an agent ([membridge#syncs]). The answer takes as long as the node, 150 s at most. */
export const SYNC_ROUTES: readonly Route[] = SYNC_ACTIONS.map((action) =>
  route({
    ...{ at: `POST /sync/${action}`, policy: { key: 'admin' }, tag: 'Syncs', summary: SUMMARIES[action] },
    input: syncAskedRequest,
    output: syncAnswer,
    run: ({ services, caller, correlationId }, asked) =>
      runSync(services, { ...asked, action, requestId: correlationId }, caller),
  }),
)
