/** A day on which much is under way: something in every state that a person may meet. */
import sql from 'sql-template-tag'
import { cancelJob, failJob } from '#server/jobs/operate-job.ts'
import { admitJobs } from '#server/jobs/queue.ts'
import { markExhaustedDead } from '#server/jobs/retry.ts'
import { discardProposal } from '#server/proposals/close-proposal.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import { cancelRun } from '#server/runs/cancel-run.ts'
import { enqueueRuns } from '#server/runs/enqueue-runs.ts'
import { projectRun } from '#server/runs/project-run.ts'
import { revokeZone } from '#server/zones/change-zone.ts'
import { createZone } from '#server/zones/create-zone.ts'
import { sweepAccess } from '#server/zones/sweep-access.ts'
import { DEMO_AGENTS } from '../demo-garden.ts'
import { type Ground, given, OWNER } from './ground.ts'
import { addJob, answer, call, exhaust, fail, hold, write } from './jobs.ts'
import { applyAll, approve, commitByHand, expire, proposeEdit, proposeNote } from './proposals.ts'
import { addRun, finishRun, runParts, withoutEngine } from './runs.ts'

const [LIBRARIAN, GARDENER, SCOUT] = DEMO_AGENTS
/** Long enough that an approval can still be taken back when somebody looks. */
const LONG_HOLD_SECONDS = 3_600

export async function fillBusy(ground: Ground): Promise<void> {
  await fillRuns(ground)
  await fillProposals(ground)
  await fillJobs(ground)
  await fillZones(ground)
  await startRuns(ground)
}

/** Runs that are over; those of the agents leave proposals to decide. */
async function fillRuns(ground: Ground): Promise<void> {
  await finishRun(ground, LIBRARIAN, 'When should tomatoes be watered?')
  await finishRun(ground, GARDENER)
  await finishRun(ground, SCOUT)
  await finishRun(withoutEngine(ground), LIBRARIAN, 'Who looks after the tool shed?')
  const cancelled = await addRun(ground, LIBRARIAN, 'What did we sow in March?')
  given(await cancelRun(ground, { run_id: cancelled, reason: 'It was asked by mistake.' }, OWNER))
}

/** The ground with an engine that takes no run now. */
const notTaken = (ground: Ground): Ground => ({
  ...ground,
  orchestration: {
    ...ground.orchestration,
    triggerAgentRun: () => Promise.reject(new Error('the engine is not asked')),
  },
})

/** Runs that are under way; last, since only a worker takes them further. */
async function startRuns(ground: Ground): Promise<void> {
  const ids = []
  for (const question of ['How is compost turned?', 'Which beds hold brassicas?'])
    ids.push(await addRun(ground, LIBRARIAN, question))
  await enqueueRuns(runParts(ground), 1)
  // The engine takes this one when a worker hands it over.
  ids.push(await addRun(notTaken(ground), LIBRARIAN, 'What keeps slugs away?'))
  for (const id of ids) await projectRun(ground, id)
}

async function fillProposals(ground: Ground): Promise<void> {
  await approve(
    ground,
    await proposeNote(ground, 'Growing/Mulch.md', '# Mulch\n\nStraw, four fingers deep.\n'),
  )
  await approve(ground, await proposeEdit(ground, 'Beds/South bed.md', 'The south bed dries out first.'))
  await applyAll(ground)

  const failing = await proposeEdit(ground, 'Growing/Watering.md', 'Water in the morning.')
  const conflicting = await proposeEdit(ground, 'Beds/North bed.md', 'The north bed is shady.')
  await approve(ground, failing)
  await commitByHand(ground, 'Growing/Watering.md', '# Watering\n\nRewritten by hand.\n')
  await applyAll(ground)
  await approve(ground, await proposeEdit(ground, 'Beds/North bed.md', 'The north bed holds leeks.'))
  await applyAll(ground)
  await ground.db.query(sql`UPDATE proposal SET priority = 'high' WHERE proposal_id = ${conflicting}`)

  const note = { decision_note: 'The beds say otherwise this year.' }
  for (const name of ['Frost', 'Hail']) {
    const id = await proposeNote(ground, `Ideas/${name}.md`, `# ${name}\n\nA cover against ${name}.\n`)
    given(await rejectProposal(ground, { proposal_id: id, ...note }, OWNER))
    if (name === 'Hail') given(await discardProposal(ground, { proposal_id: id }, OWNER))
  }
  await expire(ground, await proposeNote(ground, 'Ideas/Pond.md', '# Pond\n\nFrogs eat slugs.\n'))
  for (const name of ['Hedge', 'Wormery'])
    await proposeNote(ground, `Ideas/${name}.md`, `# ${name}\n\nTo be talked over on the next work day.\n`)
  const waiting = await proposeNote(ground, 'Ideas/Swing.md', '# Swing\n\nUnder the linden.\n')
  await approve(ground, waiting, LONG_HOLD_SECONDS)
}

async function fillJobs(ground: Ground): Promise<void> {
  for (const agent of DEMO_AGENTS) {
    const id = await addJob(ground, agent, 'What is written of compost?')
    await answer(ground, await call(ground, await hold(ground, id)))
  }
  await exhaust(ground, LIBRARIAN, 'NLM_UNAVAILABLE')
  await markExhaustedDead(ground.db)
  await exhaust(ground, LIBRARIAN, 'RATE_LIMIT')
  const reason = { reason: 'Asked by mistake.' }
  given(
    await failJob(ground, { job_id: await addJob(ground, SCOUT, 'Which notes are old?'), ...reason }, OWNER),
  )
  given(await cancelJob(ground, { job_id: await addJob(ground, SCOUT, 'Which are new?'), ...reason }, OWNER))

  const resting = await hold(ground, await addJob(ground, LIBRARIAN, 'When do we meet?'))
  await fail(ground, resting, 'NLM_TIMEOUT')
  const answered = await hold(ground, await addJob(ground, LIBRARIAN, 'What grows in the south bed?'))
  await write(ground, await call(ground, answered))
  await call(ground, await hold(ground, await addJob(ground, GARDENER, 'What grows in the north bed?')))
  await hold(ground, await addJob(ground, SCOUT, 'What did the frost of May take?'))
  for (const agent of DEMO_AGENTS) await addJob(ground, agent, 'Which seeds are saved?')
  await admitJobs(ground.db, 100)
  for (const agent of DEMO_AGENTS) await addJob(ground, agent, 'How are notes kept?')
}

async function fillZones(ground: Ground): Promise<void> {
  const zone = async (name: string, folder: string) => {
    const input = { name, description: '', folders: [folder], tags: [], minutes: 1_440 }
    return given(await createZone(ground, input, OWNER)).zone.zone_id
  }
  await zone('Neighbours', 'Beds')
  await zone('Guests of the spring meeting', 'Growing')
  given(await revokeZone(ground, await zone('A visitor', 'Ideas'), OWNER))
  const over = await zone('The school class', 'Journal')
  await ground.db.query(sql`UPDATE zone SET expires_at = clock_timestamp() WHERE zone_id = ${over}`)
  await sweepAccess(ground)
}
