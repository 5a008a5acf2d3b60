/** A day on which nothing works: failures of every kind, as an operator finds them. */
import { randomUUID } from 'node:crypto'
import { FAILURES_BEFORE_ERROR } from '#domain/run/step.machine.ts'
import { cancelJob, failJob } from '#server/jobs/operate-job.ts'
import { refuseJobs } from '#server/jobs/queue.ts'
import { failPermanently, markExhaustedDead } from '#server/jobs/retry.ts'
import { KNOWN_JOB_TYPES } from '#server/jobs/submit-job.ts'
import { DEMO_AGENTS } from '../demo-garden.ts'
import { type Ground, given, OWNER } from './ground.ts'
import { addJob, call, exhaust, hold, REPEATABLE_CODES } from './jobs.ts'
import { applyAll, approve, commitByHand, proposeEdit, proposeNote } from './proposals.ts'
import { finishRun, withoutEngine } from './runs.ts'

const [LIBRARIAN, GARDENER, SCOUT] = DEMO_AGENTS
/** Jobs of one code: enough to be a group. */
const EACH = 3

export async function fillFailing(ground: Ground): Promise<void> {
  await fillDeadJobs(ground)
  await fillFailedJobs(ground)
  await fillRuns(ground)
  await fillProposals(ground)
}

async function fillDeadJobs(ground: Ground): Promise<void> {
  for (const code of REPEATABLE_CODES)
    for (const agent of DEMO_AGENTS.slice(0, EACH)) await exhaust(ground, agent, code)
  await markExhaustedDead(ground.db)
}

async function fillFailedJobs(ground: Ground): Promise<void> {
  for (const code of ['VALIDATION_ERROR', 'NLM_REFUSED'] as const) {
    const job = await hold(ground, await addJob(ground, GARDENER, `What if the backend says ${code}?`))
    await failPermanently(ground.db, await call(ground, job), {
      code,
      message: 'The backend takes no such question.',
    })
  }
  await addJob(ground, `gone-${randomUUID().slice(0, 8)}`, 'Who answers for an agent that is gone?')
  await refuseJobs(ground.db, KNOWN_JOB_TYPES)
  const reason = { reason: 'Nobody needs the answer any more.' }
  given(await failJob(ground, { job_id: await addJob(ground, SCOUT, 'What is lost?'), ...reason }, OWNER))
  given(await cancelJob(ground, { job_id: await addJob(ground, SCOUT, 'What is left?'), ...reason }, OWNER))
  await exhaust(ground, LIBRARIAN, 'NLM_UNAVAILABLE')
}

/** One agent fails so often that it is set aside, another one once. */
async function fillRuns(ground: Ground): Promise<void> {
  const broken = withoutEngine(ground)
  for (let n = 0; n < FAILURES_BEFORE_ERROR; n++) await finishRun(broken, GARDENER)
  await finishRun(broken, LIBRARIAN, 'Who has the key of the shed?')
}

/** Approved, and then the garden was another one: changed, gone, and there already. */
async function fillProposals(ground: Ground): Promise<void> {
  await approve(ground, await proposeEdit(ground, 'Growing/Watering.md', 'Water in the morning.'))
  await approve(ground, await proposeEdit(ground, 'Growing/Compost.md', 'Turn it in March.'))
  await approve(ground, await proposeNote(ground, 'Ideas/Pond.md', '# Pond\n\nFrogs eat slugs.\n'))
  await commitByHand(ground, 'Growing/Watering.md', '# Watering\n\nRewritten by hand.\n')
  await commitByHand(ground, 'Growing/Compost.md', null)
  await commitByHand(ground, 'Ideas/Pond.md', '# Pond\n\nMade by hand.\n')
  await applyAll(ground)
}
