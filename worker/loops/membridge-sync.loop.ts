import { SCHEDULER } from '#domain/authority/caller.ts'
import { markNodesOffline } from '#server/membridge/mark-nodes-offline.ts'
import { expireSyncs } from '#server/membridge/record-sync.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 15_000

type LogMethod = (fields: object, message: string) => void

/** Every fifteen seconds: tells of nodes that have fallen silent, and gives up syncs that nobody has ended in time. */
export function membridgeSyncLoop({
  db,
  log,
}: Pick<Services, 'db'> & { log: Record<'warn', LogMethod> }): Loop {
  return {
    name: 'membridge-sync',
    everyMs: EVERY_MS,
    async tick() {
      for (const node of await markNodesOffline({ db })) log.warn(node, 'a node has fallen silent')
      await expireSyncs({ db }, SCHEDULER)
      return 'idle'
    },
  }
}
