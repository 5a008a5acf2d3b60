import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ownerFeedback } from '#server/contexts/owner-feedback.ts'
import { countProposals } from '#server/proposals/count-proposals.query.ts'
import { approveProposal, rejectProposal } from '#server/proposals/decide-proposal.ts'
import { previewBatch } from '#server/proposals/preview-batch.query.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { snoozeProposal } from '#server/proposals/snooze-proposal.ts'
import { cancelRun } from '#server/runs/cancel-run.ts'
import { readSteps } from '#server/runs/run-row.ts'
import { type Harness, OWNER, type Worker } from '#server/runs/testing/harness.ts'
import { getChangeRequest } from './change-request.query.ts'
import { editProposal } from './edit-proposal.ts'
import { returnUnanswered } from './return-changes.ts'
import { submitEntry } from './submit-entry.ts'
import {
  COMMENTS,
  changesIn,
  codeOf,
  type EditorAgent,
  FIRST,
  fails,
  herbs,
  made,
  openEditor,
  REVISED,
  ruleOverBeds,
  textOf,
  twoBeds,
} from './testing/change-requests.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let h: Harness
let worker: Worker
const agent: EditorAgent = { given: null, answer: () => [], failing: '' }

beforeAll(async () => {
  ;({ h, worker } = await openEditor(agent))
})
afterAll(() => h.close())

const kit = changesIn(() => ({ h, worker, agent }))
const { digestOf, rowOf, proposalsOf, runsOf, entries, queue, send, finish, close, agentIs, services } = kit
const { proposed, replayed } = kit

describe('three comments on two files', () => {
  test('are one run and one successor, which opens on what changed since the review', async () => {
    const endRule = await ruleOverBeds(h)
    const { old, sibling } = await proposed()
    const runs = (await runsOf()) ?? 0
    agent.answer = () => [herbs, twoBeds(REVISED)]
    const asked = made(await send(old, { with_siblings: true, note: 'See the journal.' }))
    expect(await send(old, { with_siblings: true, note: 'See the journal.' })).toMatchObject({
      ok: true,
      value: { unchanged: true, runId: asked.runId },
    })
    expect(await queue()).toEqual([])
    expect(await queue('awaiting_changes')).toEqual([old.proposal_id, sibling.proposal_id])
    const later = { proposal_id: old.proposal_id, until: new Date(Date.now() + 60_000).toISOString() }
    expect(codeOf(await snoozeProposal(h.kit, later, OWNER))).toBe('INVALID_TRANSITION')
    expect(await countProposals(services())).toMatchObject({ waiting: 0, awaiting_changes: 2 })
    const approval = { proposal_id: old.proposal_id, review_digest: await digestOf(old) }
    expect(codeOf(await approveProposal(services(), approval, OWNER))).toBe('INVALID_TRANSITION')
    const changes = [{ path: 'Beds/North.md', text: 'x\n' }]
    const edited = { ...approval, changes, remainder: 'reject' as const }
    expect(codeOf(await editProposal(services(), edited, OWNER))).toBe('INVALID_TRANSITION')
    const batch = { proposal_ids: [old.proposal_id, sibling.proposal_id], status: 'APPROVED' as const }
    expect(await previewBatch(services(), batch)).toMatchObject({
      ...{ commits: 0, proposals: [] },
      excluded: batch.proposal_ids.map((proposal_id) => ({ proposal_id, reason: 'awaiting_changes' })),
    })
    expect(await previewBatch(services(), { ...batch, status: 'REJECTED' })).toMatchObject({ excluded: [] })

    await finish(asked)
    await endRule()
    expect(await runsOf()).toBe(runs + 1)
    expect(agent.given?.params).toEqual({ question: 'What do the beds need?' })
    expect(agent.given?.context.changes_requested).toMatchObject({
      kind: 'data',
      target: 'notes/Beds/North.md',
      note: 'See the journal.',
      comments: COMMENTS.map((comment, i) => ({
        ...comment,
        quote: ['Watered daily.', 'Watered daily.', 'Garlic.'][i],
      })),
    })
    expect(agent.given?.context.sources).toContainEqual({
      ref: 'Beds/South.md',
      revision: old.proposal_id,
      text: textOf('South', FIRST),
    })

    const [successor, again] = (await proposalsOf(asked.runId)) as [ProposalRow, ProposalRow]
    expect(successor).toMatchObject({
      status: 'PENDING',
      target_path: 'notes/Beds/North.md',
      relations: { supersedes: old.proposal_id },
    })
    for (const { proposal_id } of [old, sibling])
      expect(await rowOf(proposal_id)).toMatchObject({
        status: 'DISCARDED',
        decided_by: 'owner',
        relations: { superseded_by: successor.proposal_id },
      })
    // The sibling that the agent proposes again as it was is no repeat of what was rejected.
    expect(again).toMatchObject({ status: 'PENDING', content_digest: sibling.content_digest, relations: {} })
    // The rule judged what was proposed first; what comes of a request is the owner's to read.
    expect([old, sibling, successor, again].map((one) => one.rule_trace?.length)).toEqual([1, 1, 0, 0])

    const { since_review, request } = made(await getChangeRequest(h.kit, successor.proposal_id))
    expect(since_review).toEqual(
      ['North', 'South'].map((bed) => ({
        path: `Beds/${bed}.md`,
        before: textOf(bed, FIRST),
        after: textOf(bed, REVISED),
      })),
    )
    expect(request).toMatchObject({
      proposal_id: old.proposal_id,
      note: 'See the journal.',
      run_status: 'completed',
    })
    expect(request?.comments.map(({ changed }) => changed)).toEqual([true, true, false])
    await close(successor, again)
  })

  test('of four requests at once exactly one wins, and there is one run; a rejection beside it is no exception', async () => {
    const { old, sibling } = await proposed()
    const runs = (await runsOf()) ?? 0
    const notes = ['One.', 'Two.', 'Three.', 'Four.']
    const outcomes = await Promise.all(notes.map((note) => send(old, { note })))
    expect(outcomes.filter((one) => one.ok)).toHaveLength(1)
    expect(await runsOf()).toBe(runs + 1)
    const [winner] = outcomes.flatMap((one) => (one.ok ? [one.value] : []))
    const decision_note = 'at the same time'
    const [again, rejected] = await Promise.all([
      send(old, { note: 'Five.' }),
      rejectProposal(h.kit, { proposal_id: old.proposal_id, decision_note }, OWNER),
    ])
    expect([codeOf(again), codeOf(rejected)]).toEqual(['INVALID_TRANSITION', 'ok'])
    made(await cancelRun(h.kit, { run_id: winner?.runId ?? '', reason: 'the end' }, OWNER))
    await close(old, sibling)
  })
})

describe('a request that nobody answers', () => {
  test.each([
    ['the run fails', fails, 'failed'],
    ['the run proposes nothing for that target', () => [], 'completed'],
    ['the run proposes the very same', () => [twoBeds(FIRST)], 'completed'],
  ])('%s: the proposal comes back, and says so', async (_, output, end) => {
    const { old, sibling } = await proposed()
    agent.answer = output as never
    const asked = made(await send(old))
    await finish(asked)
    expect(await queue()).toContain(old.proposal_id)
    const row = await rowOf(old.proposal_id)
    expect(row).toMatchObject({ status: 'PENDING', awaiting_changes_since: null, relations: {} })
    const { request } = made(await getChangeRequest(h.kit, old.proposal_id))
    expect(request).toMatchObject({ run_id: asked.runId, run_status: end, answered_by: null })
    await h.kit.db.query(sql`UPDATE agent SET failed_in_row = 0`)
    await close(old, sibling)
  })

  test('a cancelled run gives it back with an hour to decide', async () => {
    const { old, sibling } = await proposed()
    const asked = made(await send(old))
    await h.kit.db.query(
      sql`UPDATE proposal SET expires_at = clock_timestamp() + interval '1 minute' WHERE proposal_id = ${old.proposal_id}`,
    )
    await returnUnanswered(h.kit)
    expect((await rowOf(old.proposal_id)).awaiting_changes_since).not.toBeNull()
    made(await cancelRun(h.kit, { run_id: asked.runId, reason: 'not now' }, OWNER))
    await returnUnanswered(h.kit)
    const row = await rowOf(old.proposal_id)
    expect(row.awaiting_changes_since).toBeNull()
    expect(row.expires_at.getTime()).toBeGreaterThan(Date.now() + 3_500_000)
    await close(old, sibling)
  })
})

describe('the old one is rejected while the agent works', () => {
  const decision_note = 'Not at all.'
  const rejected = async (output: unknown) => {
    const { old, sibling } = await proposed()
    agent.answer = () => [output]
    const asked = made(await send(old))
    made(await rejectProposal(h.kit, { proposal_id: old.proposal_id, decision_note }, OWNER))
    await finish(asked)
    return { old, sibling, made: await proposalsOf(asked.runId) }
  }

  test('the answer names it and waits; the agent is told of the rejection', async () => {
    const { old, sibling, made: answers } = await rejected(twoBeds(REVISED))
    const [successor] = answers as [ProposalRow]
    expect(successor).toMatchObject({ status: 'PENDING', relations: { supersedes: old.proposal_id } })
    const { status: end, relations } = await rowOf(old.proposal_id)
    expect([end, relations]).toEqual(['REJECTED', { answered_by: successor.proposal_id }])
    const rejection = { proposal_id: old.proposal_id, note: decision_note }
    expect(await ownerFeedback(h.kit.db, 'editor')).toContainEqual(expect.objectContaining(rejection))
    expect(made(await getChangeRequest(h.kit, old.proposal_id)).request?.answered_by).toBe(
      successor.proposal_id,
    )
    await close(sibling, successor)
  })

  test('the very same is a repeat of what was rejected', async () => {
    const { old, sibling, made: answers } = await rejected(twoBeds(FIRST))
    expect(answers).toEqual([])
    expect((await rowOf(old.proposal_id)).relations).toEqual({})
    await close(sibling)
  })
})

describe('a replay of a run that answers a request for changes', () => {
  test.each([
    ['that failed before its answer was stored, from the context', 'step-3-begun', 1],
    ['that failed before its answer was stored, from its results', 'step-3-begun', 3],
    ['that failed after its answer was stored, from its results', 'proposal-0', 3],
  ] as const)('%s, answers it', async (_, point, from_step) => {
    const { old, sibling } = await proposed()
    agent.answer = () => [twoBeds(REVISED), herbs]
    const asked = made(await send(old, { with_siblings: true }))
    agent.failing = point
    await finish(asked)
    agent.failing = ''
    agent.given = null
    const run_id = await replayed(asked.runId, from_step)
    if (from_step === 1)
      expect(agent.given).toMatchObject({ context: { changes_requested: { kind: 'data' } } })
    const all = [...(await proposalsOf(asked.runId)), ...(await proposalsOf(run_id))]
    const [successor, again] = all as [ProposalRow, ProposalRow]
    expect(all.map((one) => [one.status, one.target_path, one.relations])).toEqual([
      ['PENDING', 'notes/Beds/North.md', { supersedes: old.proposal_id }],
      ['PENDING', 'notes/Beds/Herbs.md', {}],
    ])
    for (const { proposal_id } of [old, sibling])
      expect(await rowOf(proposal_id)).toMatchObject({
        status: 'DISCARDED',
        relations: { superseded_by: successor.proposal_id },
      })
    await h.kit.db.query(sql`UPDATE agent SET failed_in_row = 0`)
    await close(successor, again)
  })
})

describe('a request whose run is replayed after its answer', () => {
  test('has one open successor: the newest answer, unless other changes were requested meanwhile', async () => {
    const { old, sibling } = await proposed()
    const first = made(await send(old))
    const answers: ProposalRow[] = []
    // The third is the first once more: that one was not rejected, it made room.
    for (const lines of [REVISED, ['Sage.'], REVISED]) {
      agent.answer = () => [twoBeds(lines)]
      const run = answers.length === 0 ? first.runId : await replayed(first.runId)
      if (run === first.runId) await finish(first)
      answers.push(...(await proposalsOf(run)))
    }
    const newest = answers[2] as ProposalRow
    const superseded = { status: 'DISCARDED', relations: { superseded_by: newest.proposal_id } }
    expect(await rowOf(old.proposal_id)).toMatchObject(superseded)
    expect(await rowOf(answers[1]?.proposal_id ?? '')).toMatchObject(superseded)
    expect(newest).toMatchObject({ status: 'PENDING', relations: { supersedes: old.proposal_id } })
    const { request } = made(await getChangeRequest(h.kit, newest.proposal_id))
    expect(request?.comments).toHaveLength(COMMENTS.length)

    agent.answer = () => [twoBeds(['Thyme.'])]
    const second = made(await send(newest, { comments: [], note: 'Thyme.' }))
    const late = await replayed(first.runId)
    expect(await proposalsOf(late)).toEqual([])
    expect((await readSteps(h.kit.db, late))[2]?.output?.refused).toMatchObject([
      { code: 'INVALID_TRANSITION' },
    ])
    const [answer] = await proposalsOf(second.runId)
    expect(await queue()).toEqual([sibling.proposal_id, answer?.proposal_id])
    await close(sibling, answer as ProposalRow)
  })
})

describe('a request that nobody could answer is refused before anything is stored', () => {
  test('an agent that is paused or gone, a proposal of a person, another review, a line that is not there', async () => {
    const { old, sibling } = await proposed()
    const stored = [await runsOf(), await entries()]
    expect(codeOf(await send(old, { review_digest: 'f'.repeat(64) }))).toBe('STALE_REVIEW')
    const beyond = [{ path: 'Beds/North.md', side: 'proposed', line: 40, body: 'Where?' }]
    expect(codeOf(await send(old, { comments: beyond }))).toBe('VALIDATION_FAILED')
    await h.kit.db.query(sql`UPDATE agent SET definition = '{"triggers": {"manual": false}}'`)
    expect(codeOf(await send(old))).toBe('AGENT_NOT_ACTIVE')
    const { answerer } = made(await getChangeRequest(h.kit, old.proposal_id))
    expect(answerer).toMatchObject({ agent: 'editor', problem: 'not_by_hand' })
    await h.kit.db.query(sql`UPDATE agent SET definition = '{}'`)
    await agentIs('pause')
    expect(codeOf(await send(old))).toBe('AGENT_NOT_ACTIVE')
    await agentIs('resume')
    expect([await runsOf(), await entries()]).toEqual(stored)
    expect(await rowOf(old.proposal_id)).toMatchObject({ change_request: null, awaiting_changes_since: null })
    const payload = { text: textOf('Herbs', ['Mint.']), kind: 'note', summary: 'Mint' }
    const intent = { action: 'propose-note' as const, target: 'notes/Mint.md', payload }
    const { resolution } = made(await submitEntry(h.kit, { intent }, OWNER))
    const own = await rowOf(resolution?.id ?? '')
    expect(codeOf(await send(own, { comments: [], note: 'Mine.' }))).toBe('TARGET_NOT_FOUND')
    expect(await runsOf()).toBe(stored[0])
    await close(old, sibling, own)
  })
})
