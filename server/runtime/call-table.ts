/** The calls to nodes that this process has open. A call outlives the tick that made it; what it brings back is settled when it comes. */
import type { Logger } from 'pino'
import { callHolder, type DispatchParts } from './dispatch-task.ts'
import type { Granted } from './lease-task.ts'

export type CallTable = {
  /** How many more calls may be opened. */
  room(): number
  open(granted: Granted): void
  /** Stops waiting: the nodes work on, and report by their own channel or not at all. */
  close(): Promise<void>
}

export function openCallTable(
  parts: DispatchParts & { log: Pick<Logger, 'error'> },
  most: number,
): CallTable {
  const open = new Set<Promise<void>>()
  const abort = new AbortController()
  const call = async (granted: Granted): Promise<void> => {
    try {
      await callHolder(parts, granted, abort.signal)
    } catch (error) {
      // The lease is the fence: whatever went wrong here, it ends.
      parts.log.error({ err: error, task_id: granted.lease.task_id }, 'a node could not be called')
    }
  }
  return {
    room: () => most - open.size,
    open(granted) {
      const running = call(granted).finally(() => open.delete(running))
      open.add(running)
    },
    async close() {
      abort.abort()
      await Promise.all(open)
    },
  }
}
