import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import type { Result } from '#domain/kernel/result.ts'
import { removeRule } from '#server/approval-rules/change-rules.ts'
import { contentOf, ruleOn } from '#server/approval-rules/testing/rule-kit.ts'
import { ownerFeedback } from '#server/contexts/owner-feedback.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import type { ExecutorInput } from '#server/ports/agent-executor.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { approveProposal, rejectProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { countProposals, proposalRows } from '#server/proposals/list-proposals.query.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
import { snoozeProposal } from '#server/proposals/snooze-proposal.ts'
import { cancelRun } from '#server/runs/cancel-run.ts'
import { rerunRun } from '#server/runs/rerun-run.ts'
import {
  ask,
  type Harness,
  OWNER,
  openHarness,
  status,
  until,
  type Worker,
} from '#server/runs/testing/harness.ts'
import { AGENT_FILE, addAgent, outputOf } from '#server/runs/testing/run-kit.ts'
import { getChangeRequest } from './change-request.query.ts'
import { editProposal } from './edit-proposal.ts'
import { type Requested, requestChanges } from './request-changes.ts'
import { returnUnanswered } from './return-changes.ts'
import { submitEntry } from './submit-entry.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const BEDS = ['North', 'South', 'Herbs']
const textOf = (bed: string, lines: readonly string[]) => `# ${bed}\n\n${lines.join('\n')}\n`
const FILES = BEDS.map((bed) => ({ path: `Beds/${bed}.md`, content: textOf(bed, ['Leeks.', 'Garlic.']) }))
const FIRST = ['Leeks and onions.', 'Watered daily.']
const REVISED = ['Leeks and onions.', 'Watered on Mondays.']

let h: Harness
let worker: Worker
/** What the agent was given the last time that it ran, and what it gives back. */
let given: ExecutorInput | null = null
/** The point at which the worker fails. */
let failing = ''
let answer: (input: ExecutorInput) => unknown[] = () => []

const edit = (target: string, changes: Record<string, string>) => ({
  action: 'propose-edit' as const,
  target: `notes/Beds/${target}.md`,
  changes: Object.entries(changes).map(([bed, text]) => ({
    path: `Beds/${bed}.md`,
    diff: { type: 'replace' as const, text },
  })),
  summary: `An edit of ${target}`,
  reasoning: 'The journal says so.',
  citations: [],
})
const twoBeds = (lines: readonly string[]) =>
  edit('North', { North: textOf('North', lines), South: textOf('South', lines) })
const herbs = edit('Herbs', { Herbs: textOf('Herbs', ['Sage.']) })

beforeAll(async () => {
  const file = AGENT_FILE('editor').replace('[propose-note]', '[propose-edit]')
  h = await openHarness([], [...FILES, { path: 'agents/editor/_agent.md', content: file }])
  worker = await h.worker({
    execute: async (input) => {
      given = input
      return outputOf({ proposals: answer(input) as never })
    },
    failpoint: (name) => {
      if (name === failing) throw new Error('a fault of the test')
    },
  })
  await addAgent(h.kit.db, 'editor')
})
afterAll(() => h.close())

const services = () => ({ ...h.kit, env: { APPLY_HOLD_SECONDS: 10, ...h.kit.env } }) as never
const digestOf = async (row: ProposalRow) =>
  reviewDigest(row, await standingAgainst(await currentContent(h.kit.garden), row.changes))
const rowOf = async (id: string) => (await findProposal(h.kit.db, id)) as ProposalRow
const made = <T>(outcome: Result<T>): T => {
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`)
  return outcome.value
}
const codeOf = (outcome: Result<unknown>) => (outcome.ok ? 'ok' : outcome.refusal.code)
const proposalsOf = async (runId: string) =>
  (
    await h.kit.db.query<ProposalRow>(
      sql`SELECT * FROM proposal WHERE run_id = ${runId} ORDER BY target_path DESC`,
    )
  ).rows
const runsOf = async () => (await h.kit.db.query(sql`SELECT 1 FROM run`)).rowCount
const entries = async () => (await h.kit.db.query(sql`SELECT 1 FROM inbox_entry`)).rowCount
const queue = async (sort = 'to_decide') =>
  (await proposalRows(h.kit, proposalFilter.parse({ sort }))).rows.map((p) => p.proposal_id)

/** A run's two proposals: one over two files, and its sibling. */
async function proposed(): Promise<{ old: ProposalRow; sibling: ProposalRow; runId: string }> {
  answer = () => [twoBeds(FIRST), herbs]
  const runId = await ask(h.kit, 'editor', { question: 'What do the beds need?' })
  await until(worker, runId, status('completed'))
  const [old, sibling] = await proposalsOf(runId)
  return { old: old as ProposalRow, sibling: sibling as ProposalRow, runId }
}
const COMMENTS = [
  { path: 'Beds/North.md', side: 'proposed' as const, line: 4, body: 'Only on Mondays.' },
  { path: 'Beds/South.md', side: 'proposed' as const, line: 4, body: 'Here, too.' },
  { path: 'Beds/North.md', side: 'base' as const, line: 4, body: 'Keep the garlic.' },
]
const send = async (row: ProposalRow, more: object = {}) =>
  requestChanges(
    h.kit,
    {
      proposal_id: row.proposal_id,
      review_digest: await digestOf(row),
      comments: COMMENTS,
      with_siblings: false,
      ...more,
    },
    OWNER,
  )
/** What is left of a test makes no duplicate of the next one. */
async function close(...rows: readonly ProposalRow[]) {
  for (const { proposal_id } of rows)
    await rejectProposal(h.kit, { proposal_id, decision_note: 'the end of the test' }, OWNER)
  await h.kit.db.query(
    sql`UPDATE proposal SET decided_at = decided_at - interval '8 days' WHERE decided_at IS NOT NULL`,
  )
}
const agentIs = (event: 'pause' | 'resume') =>
  transition(h.kit.db, { machine: 'agent', event, actor: OWNER, where: sql`o.slug = 'editor'` })
const finish = async ({ runId }: Requested) => {
  await until(worker, runId, (run) => run.finished_at !== null)
  await returnUnanswered(h.kit)
}

describe('three comments on two files', () => {
  test('are one run and one successor, which opens on what changed since the review', async () => {
    const owners = openDatabase(h.ownerUrl, { connections: 1 })
    const parts = { ...h.kit, db: owners, services: { env: h.kit.env } } as never
    const rule = await ruleOn(
      parts,
      contentOf({ action: 'propose-edit', 'target.path': { prefix: 'notes/Beds/' } }),
    )
    const { old, sibling } = await proposed()
    const runs = (await runsOf()) ?? 0
    answer = () => [herbs, twoBeds(REVISED)]
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
    const edited = {
      ...approval,
      changes: [{ path: 'Beds/North.md', text: 'x\n' }],
      remainder: 'reject' as const,
    }
    expect(codeOf(await editProposal(services(), edited, OWNER))).toBe('INVALID_TRANSITION')

    await finish(asked)
    made(await removeRule(parts, { rule_id: rule.rule_id }, OWNER))
    await owners.close()
    expect(await runsOf()).toBe(runs + 1)
    expect(given?.params).toEqual({ question: 'What do the beds need?' })
    expect(given?.context.changes_requested).toMatchObject({
      kind: 'data',
      target: 'notes/Beds/North.md',
      note: 'See the journal.',
      comments: COMMENTS.map((comment, i) => ({
        ...comment,
        quote: ['Watered daily.', 'Watered daily.', 'Garlic.'][i],
      })),
    })
    expect(given?.context.sources).toContainEqual({
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

const fails = () => {
  throw new Error('no')
}

describe('a request that nobody answers', () => {
  test.each([
    ['the run fails', fails, 'failed'],
    ['the run proposes nothing for that target', () => [], 'completed'],
    ['the run proposes the very same', () => [twoBeds(FIRST)], 'completed'],
  ])('%s: the proposal comes back, and says so', async (_, output, end) => {
    const { old, sibling } = await proposed()
    answer = output as never
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
    answer = () => [output]
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
    answer = () => [twoBeds(REVISED), herbs]
    const asked = made(await send(old, { with_siblings: true }))
    failing = point
    await finish(asked)
    failing = ''
    given = null
    const replay = { run_id: asked.runId, from_step, reason: 'once more' }
    const { run_id } = made(await rerunRun(h.kit, replay, OWNER))
    await returnUnanswered(h.kit)
    await until(worker, run_id, status('completed'))
    if (from_step === 1) expect(given).toMatchObject({ context: { changes_requested: { kind: 'data' } } })
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
