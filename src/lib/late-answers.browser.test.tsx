/** Whoever has gone on before the answer to a command comes is not taken to what was made: its toast links to it. */
import { type ReactNode, useState } from 'react'
import { expect, it } from 'vitest'
import { userEvent } from 'vitest/browser'
import { type AgentDetail, agentDeletion } from '#contracts/agent.contract.ts'
import { submitAnswer } from '#contracts/inbox.contract.ts'
import type { JobDetail } from '#contracts/job.contract.ts'
import type { RunDetail } from '#contracts/run.contract.ts'
import { runRequested } from '#contracts/run-commands.contract.ts'
import { DeleteAgent } from '#features/agents/components/delete-agent.tsx'
import { RunAgent } from '#features/agents/components/run-agent.tsx'
import { ProposeNote } from '#features/inbox/components/propose-note.tsx'
import { ReplayJob } from '#features/jobs/components/replay-job.tsx'
import { RequestJobAgain } from '#features/jobs/components/request-job.tsx'
import { aJobDetail } from '#features/jobs/testing/job-detail.ts'
import { idOf, jobLedger } from '#features/jobs/testing/jobs.ts'
import { RerunRun } from '#features/runs/components/rerun-run.tsx'
import { RunAgain } from '#features/runs/components/run-again.tsx'
import { NewTask } from '#features/tasks/components/new-task.tsx'
import { idOf as taskId, taskLedger } from '#features/tasks/testing/tasks.ts'
import { delayAnswer } from './testing/late-answer.ts'
import { mutation, router } from './testing/procedures.ts'
import { renderInConsole } from './testing/render-in-console.tsx'
import { textsOf } from './testing/texts.ts'

const ui = textsOf('ui')
const PROPOSAL = 'prop_2026-03-02_aaaaaaaaaaaa'
const RUN = 'run_2026-03-02_100000_aaaaaa'

const asked = () => ({ run_id: RUN, inbox_id: 'inbox_1', status: 'queued' as const, unchanged: false })
const processed = () => ({
  ...{ inbox_id: 'inbox_1', status: 'processed' as const, correlation_id: 'c', repeated: false },
  resolution: { kind: 'proposal' as const, id: PROPOSAL },
})
const procedures = () => ({
  ...jobLedger([]).procedures,
  ...taskLedger([]).procedures,
  inbox: router({ submit: mutation(submitAnswer, processed) }),
  runs: router({ request: mutation(runRequested, asked), rerun: mutation(runRequested, asked) }),
})
const deletion = () => ({
  agents: router({
    delete: mutation(agentDeletion, () => ({ slug: 'scout', proposal_id: PROPOSAL, unchanged: false })),
  }),
})

const AGENT = {
  ...{ slug: 'scout', name: 'Scout', status: 'active', model: 'extractive', tools: [] },
  triggers: { manual: true, cron: null, zone: 'UTC', events: [] },
} as unknown as AgentDetail
const ENDED = {
  ...{ run_id: 'run_2026-03-02_090000_aaaaaa', agent_slug: 'scout', priority: 'normal' },
  ...{ params: { question: 'Slugs?' }, finished_at: '2026-03-02T09:00:00.000Z', rerunnable_from: [1, 2, 3] },
} as unknown as RunDetail
const FAILED = aJobDetail({ status: 'FAILED', failure_kind: 'invalid', payload: { query: 'Slugs?' } })
const DONE = aJobDetail({ status: 'COMPLETE', failure_kind: null, error: null, actions: [] })

function Deletion() {
  const [open, setOpen] = useState(true)
  return <DeleteAgent agent={AGENT} open={open} onClose={() => setOpen(false)} />
}

type Screen = Awaited<ReturnType<typeof renderInConsole>>
/** Fills the fields of the form that is open, in their order, and sends it. */
const send = async (screen: Screen, texts: readonly string[], button: string) => {
  const form = screen.getByRole('dialog')
  await expect.element(form.getByRole('button', { name: button, exact: true })).toBeVisible()
  for (const [n, text] of texts.entries()) await form.getByRole('textbox').nth(n).fill(text)
  await form.getByRole('button', { name: button, exact: true }).click()
}

type Case = {
  shown: ReactNode
  key?: string
  texts?: readonly string[]
  button?: string
  procedure: string
  made: string
  more?: () => ReturnType<typeof deletion>
}
const agents = textsOf('agents')
const jobs = textsOf('jobs')
const runs = textsOf('runs')
const CASES: Record<string, Case> = {
  'a note': {
    ...{ shown: <ProposeNote />, key: 'n', texts: ['Beds/New.md', '# New', 'A new bed'] },
    ...{ button: textsOf('inbox')('propose'), procedure: 'inbox.submit', made: `/proposals/${PROPOSAL}` },
  },
  'a task': {
    ...{ shown: <NewTask />, key: 'n', texts: ['scout', 'garden', 'Name three bees.'] },
    ...{ button: textsOf('tasks')('createTask'), procedure: 'tasks.create', made: `/tasks/${taskId(1)}` },
  },
  'a job': {
    ...{ shown: <RequestJobAgain job={FAILED as JobDetail} />, key: 'n', button: jobs('newJobSubmit') },
    ...{ procedure: 'jobs.submit', made: `/jobs/${idOf(77)}` },
  },
  'a replay of a job': {
    ...{ shown: <ReplayJob job={DONE} />, key: 'p', texts: ['And in June?', 'A month later.'] },
    ...{ button: jobs('replay.act'), procedure: 'jobs.replay', made: `/jobs/${idOf(78)}` },
  },
  'a run': {
    ...{ shown: <RunAgent agent={AGENT} keys="r" />, key: 'r', button: agents('run') },
    ...{ procedure: 'runs.request', made: `/runs/${RUN}` },
  },
  'another run': {
    ...{ shown: <RunAgain run={ENDED} />, key: 'r', procedure: 'runs.request', made: `/runs/${RUN}` },
  },
  'a rerun': {
    ...{ shown: <RerunRun run={ENDED} />, key: 'f', texts: ['To see whether it holds.'] },
    ...{ button: runs('rerun.confirm'), procedure: 'runs.rerun', made: `/runs/${RUN}` },
  },
  'a deletion': {
    ...{ shown: <Deletion />, texts: ['scout'] },
    ...{ button: agents('proposeDeletion'), procedure: 'agents.delete', made: `/proposals/${PROPOSAL}` },
    more: deletion,
  },
}

it.each(Object.keys(CASES))('%s', async (name) => {
  const { shown, key, texts = [], button, procedure, made, more } = CASES[name] as Case
  const screen = await renderInConsole(shown, { procedures: { ...procedures(), ...more?.() }, at: '/notes' })
  await expect.poll(() => window.location.pathname).toBe('/notes')
  const { sent, arrive } = delayAnswer(procedure)
  if (key) await userEvent.keyboard(key)
  if (button) await send(screen, texts, button)
  await sent
  window.history.pushState(null, '', '/leadership')
  arrive()
  const link = screen.getByRole('link', { name: ui('open'), exact: true })
  await expect.element(link).toHaveAttribute('href', made)
  expect(window.location.pathname).toBe('/leadership')
})
