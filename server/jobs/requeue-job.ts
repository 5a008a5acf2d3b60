import type { JobCommandInput } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { type Operated, operateOne } from './operate-job.ts'

/** J18: a FAILED or DEAD job goes back into the queue with all its retries; its history stays (D3, D17). */
export function requeueJob(
  services: Pick<Services, 'db' | 'hints'>,
  input: JobCommandInput,
  caller: Caller,
): Promise<Result<Operated>> {
  return operateOne(services, 'requeue', input, caller)
}
