/** What an owner decided, where something took the place of a proposal: how it is counted, and what the dry run of a rule makes of it. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { dryRun } from '#server/approval-rules/dry-run.ts'
import { contentOf, ruleServices } from '#server/approval-rules/testing/rule-kit.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { countEvents } from '#server/metrics/count-events.ts'
import { readTotals } from '#server/metrics/totals.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { type Harness, OWNER, type Worker } from '#server/runs/testing/harness.ts'
import { editProposal } from './edit-proposal.ts'
import { inboxDays } from './inbox-days.query.ts'
import {
  changesIn,
  type EditorAgent,
  herbs,
  made,
  openEditor,
  REVISED,
  textOf,
  twoBeds,
} from './testing/change-requests.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let h: Harness
let worker: Worker
const agent: EditorAgent = { given: null, answer: () => [], failing: '', tainted: false }
beforeAll(async () => {
  ;({ h, worker } = await openEditor(agent))
})
afterAll(() => h.close())

const { proposed, send, finish, proposalsOf, digestOf, services } = changesIn(() => ({ h, worker, agent }))

/** Two are sent back to their agent, which answers; one of the answers is edited, the other one rejected. */
async function decided() {
  const { old, sibling } = await proposed()
  agent.answer = () => [herbs, twoBeds(REVISED)]
  const asked = made(await send(old, { with_siblings: true }))
  await finish(asked)
  const [answer, again] = (await proposalsOf(asked.runId)) as [ProposalRow, ProposalRow]
  const changes = [{ path: 'Beds/Herbs.md', text: textOf('Herbs', ['Thyme.']) }]
  const edit = { proposal_id: again.proposal_id, review_digest: await digestOf(again), changes }
  made(await editProposal(services(), { ...edit, remainder: 'reject' }, OWNER))
  const decision_note = 'The beds are fine as they are.'
  made(await rejectProposal(h.kit, { proposal_id: answer.proposal_id, decision_note }, OWNER))
  return { old, sibling, again }
}

test('only what the owner rejected is a rejection, and a rule disagrees with all that she did not want', async () => {
  const { old, sibling, again } = await decided()
  const { db } = h.kit
  await sealAll(db)
  while ((await countEvents(db)) > 0);
  const { days } = await inboxDays({ db })
  const sum = (of: 'approved' | 'rejected') => days.reduce((total, day) => total + day[of], 0)
  expect({ approved: sum('approved'), rejected: sum('rejected') }).toEqual({ approved: 1, rejected: 1 })
  const timed = (await readTotals(db)).filter(({ name }) => name === 'garden_proposal_decision_seconds')
  expect(timed.reduce((total, { count }) => total + count, 0)).toBe(2)

  const parts = ruleServices({ ...h.kit, services: { env: h.kit.env } } as never)
  const rule = contentOf({ action: 'propose-edit' })
  const { disagreed, kept_back } = made(await dryRun(parts, { rule }, OWNER))
  const kinds = Object.fromEntries(disagreed.map((one) => [one.proposal_id, [one.kind, one.decision_note]]))
  expect(kinds).toEqual({
    [old.proposal_id]: ['sent_back', null],
    [sibling.proposal_id]: ['sent_back', null],
    [again.proposal_id]: ['edited', null],
  })
  // An answer and an edit are successors, which always wait for the owner.
  expect(kept_back).toBe(2)
})
