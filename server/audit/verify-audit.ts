import type { AuditVerification } from '#contracts/audit.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Services } from '#server/services.ts'
import { verifyChain } from './verify-chain.ts'

/** How many of the newest mirrored events are compared with their objects. */
const OBJECTS = 500

/** Verifies the audit at a person's request and records that, and what, was found [audit#verification]. */
export async function verifyAudit(
  services: Pick<Services, 'db' | 'store'>,
  caller: Caller,
): Promise<AuditVerification> {
  const found = await verifyChain(services, { objects: OBJECTS })
  await recordEvent(services.db, {
    name: 'audit.verified',
    actor: caller,
    resource: { type: 'audit', id: 'chain' },
    outcome: found.ok ? 'ok' : 'error',
    details: {
      checked: found.checked,
      waiting: found.waiting,
      ...(found.first_fault ? { fault: found.first_fault } : {}),
    },
  })
  return found
}
