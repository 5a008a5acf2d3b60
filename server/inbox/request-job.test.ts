/** What a request for a job reads of the ledger. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobSubmitInput } from '#contracts/job.contract.ts'
import { type WholeGateway, wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { addAgent } from '#server/jobs/testing/queue-room.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { plansOf } from '#server/ledger/testing/plans-of.ts'
import { OWNER } from '#server/proposals/testing/garden-kit.ts'
import { requestJob } from './request-job.ts'

let gateway: WholeGateway
let worker: Database
beforeAll(async () => {
  gateway = await wholeGateway()
  worker = openDatabase(gateway.ledger.workerUrl)
  await addAgent(worker, 'asked')
})
afterAll(async () => {
  await worker?.close()
  await gateway?.close()
})

test('the job that it has become is looked up by its key', async () => {
  const { services } = gateway
  const input = jobSubmitInput.parse({ agent_slug: 'asked', payload: { query: 'Why?' } })
  let answer: Awaited<ReturnType<typeof requestJob>> | undefined
  const plans = await plansOf(services.database, async () => {
    answer = await requestJob(services, input, OWNER)
  })
  expect(answer).toMatchObject({ ok: true, value: { status: 'PENDING' } })
  const ofJobs = plans.filter((plan) => / on job /.test(plan)).join('\n')
  expect(ofJobs).toContain('Index Scan using job_pkey')
  expect(ofJobs).not.toContain('Seq Scan on job ')
})
