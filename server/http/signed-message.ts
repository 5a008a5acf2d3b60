import { z } from 'zod'
import { jobId } from '#contracts/job.contract.ts'
import type { SignedMessage } from '#server/jobs/receive-callback.ts'
import type { HttpContext } from './route.ts'

/** The body is checked by the use-case, after the signature over its exact bytes. */
export const SIGNED_REPORT = {
  input: z.looseObject({ id: jobId }),
  output: z.object({ received: z.literal(true) }),
}

/** What the NotebookLM Backend sent about a job, as it was signed. */
export const signedMessage = (jobId: string, { caller, request, bytes }: HttpContext): SignedMessage => ({
  jobId,
  caller,
  headers: Object.fromEntries(request.headers),
  body: Buffer.from(bytes),
})
