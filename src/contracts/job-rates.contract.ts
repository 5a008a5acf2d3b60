import { z } from 'zod'
import { jobMachine } from '#domain/job/job.machine.ts'

const rate = z.object({ in: z.number().int(), out: z.number().int() })

/** `GET /jobs/rates`: how many jobs entered and left each state in the last 60 whole minutes. */
export const jobRates = z.object({
  from: z.string(),
  to: z.string(),
  by_status: z.record(z.enum(jobMachine.states), rate),
})
export type JobRates = z.infer<typeof jobRates>
