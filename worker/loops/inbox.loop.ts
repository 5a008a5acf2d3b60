import { resolvePending } from '#server/inbox/resolve-pending.ts'
import type { InboxServices } from '#server/inbox/submit-entry.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 2_000

/** Retries entries that stayed pending because the garden did not answer when they came ([inbox#states]). */
export function inboxLoop(services: InboxServices): Loop {
  return {
    name: 'inbox',
    everyMs: SCAN_MS,
    async tick() {
      return (await resolvePending(services)) > 0 ? 'again' : 'idle'
    },
  }
}
