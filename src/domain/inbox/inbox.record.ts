import type { inboxMachine } from './inbox.machine.ts'

/** What each event of an inbox entry sets beside its state, as `PROPOSAL_RECORD` says it of a proposal ([rebuild#fold]). */
export const INBOX_RECORD = {
  receive: ['received_at', 'expires_at', 'updated_at'],
  resolve: ['resolution_kind', 'resolution_id', 'updated_at'],
  refuse: ['reason_code', 'reason', 'updated_at'],
  expire: ['expires_at', 'updated_at'],
} as const satisfies Record<keyof (typeof inboxMachine)['events'], readonly string[]>
