import type { AuditVerification } from '#contracts/audit.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Services } from '#server/services.ts'
import { advanceVerification } from '../advance-verification.ts'
import { getVerification } from '../get-verification.query.ts'
import { startVerification } from '../start-verification.ts'

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }

/** Starts a verification as the web process would, and does all of its steps as a worker would. */
export async function verifyNow(
  services: Pick<Services, 'db' | 'store' | 'env'>,
  web: Pick<Services, 'db'>,
): Promise<AuditVerification> {
  await startVerification(web, OWNER)
  while (await advanceVerification(services, 'test'));
  const { newest } = await getVerification(services)
  if (!newest?.finished_at) throw new Error('the verification has not finished')
  return newest
}
