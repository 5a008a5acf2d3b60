import type { JobCommandInput } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { type Operated, operateOne } from './operate-job.ts'

/** J16: a person ends a job that is not done as failed. */
export function failJob(
  services: Pick<Services, 'db' | 'hints'>,
  input: JobCommandInput,
  caller: Caller,
): Promise<Result<Operated>> {
  return operateOne(services, 'operator_fail', input, caller)
}
