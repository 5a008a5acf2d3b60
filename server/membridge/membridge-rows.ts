import type { Capabilities, ProjectView } from '#contracts/membridge.contract.ts'
import type { SyncAction } from '#domain/membridge/sync.machine.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    membridge_project: { source: ProjectView['source'] }
    membridge_agent: { capabilities: Capabilities }
    membridge_sync: { action: SyncAction }
  }
}

/** A moment on this wire: seconds since 1970. */
export const seconds = (date: Date): number => date.getTime() / 1_000
export const secondsOrNull = (date: Date | null): number | null => date && seconds(date)
