import { advanceVerification } from '#server/audit/advance-verification.ts'
import { signHead, signHeadWhenDue } from '#server/audit/sign-head.ts'
import { sealAll } from '#server/ledger/seal.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const HEAD_SCAN_MS = 60_000
const VERIFICATION_SCAN_MS = 5_000

type Parts = Pick<Services, 'db' | 'store' | 'env'>

/** Signs the head of the audit when it is due, and what came since at the end of the process [audit#signed-heads]. */
export function auditHeadsLoop(parts: Parts): Loop & { after(): Promise<void> } {
  return {
    name: 'audit-heads',
    everyMs: HEAD_SCAN_MS,
    async tick() {
      await signHeadWhenDue(parts, parts.env.AUDIT_HEAD_MINUTES)
      return 'idle'
    },
    async after() {
      await sealAll(parts.db)
      await signHead(parts)
    },
  }
}

/** Goes on with a verification that somebody asked for, step by step; one worker at a time [audit#verification]. */
export function auditVerificationLoop(parts: Parts, holder: string): Loop {
  return {
    name: 'audit-verification',
    everyMs: VERIFICATION_SCAN_MS,
    on: ['verification'],
    tick: async () => ((await advanceVerification(parts, holder)) ? 'again' : 'idle'),
  }
}
