/** An agent that edits beds: what it proposes, what is asked of it, and ways to look at what becomes of that. */
import sql from 'sql-template-tag'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import type { Result } from '#domain/kernel/result.ts'
import { removeRule } from '#server/approval-rules/change-rules.ts'
import { contentOf, ruleOn } from '#server/approval-rules/testing/rule-kit.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import type { ExecutorInput } from '#server/ports/agent-executor.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { proposalRows } from '#server/proposals/list-proposals.query.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
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
import { type Requested, requestChanges } from '../request-changes.ts'
import { returnUnanswered } from '../return-changes.ts'

const BEDS = ['North', 'South', 'Herbs']
export const textOf = (bed: string, lines: readonly string[]) => `# ${bed}\n\n${lines.join('\n')}\n`
const EDITOR = AGENT_FILE('editor').replace('[propose-note]', '[propose-edit]')
const FILES = [
  ...BEDS.map((bed) => ({ path: `Beds/${bed}.md`, content: textOf(bed, ['Leeks.', 'Garlic.']) })),
  { path: 'agents/editor/_agent.md', content: EDITOR },
]
export const FIRST = ['Leeks and onions.', 'Watered daily.']
export const REVISED = ['Leeks and onions.', 'Watered on Mondays.']

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
export const twoBeds = (lines: readonly string[]) =>
  edit('North', { North: textOf('North', lines), South: textOf('South', lines) })
export const herbs = edit('Herbs', { Herbs: textOf('Herbs', ['Sage.']) })

export const COMMENTS = [
  { path: 'Beds/North.md', side: 'proposed' as const, line: 4, body: 'Only on Mondays.' },
  { path: 'Beds/South.md', side: 'proposed' as const, line: 4, body: 'Here, too.' },
  { path: 'Beds/North.md', side: 'base' as const, line: 4, body: 'Keep the garlic.' },
]

/** The value of what must have been done. */
export const made = <T>(outcome: Result<T>): T => {
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`)
  return outcome.value
}
export const codeOf = (outcome: Result<unknown>) => (outcome.ok ? 'ok' : outcome.refusal.code)

/** The output of an agent that cannot give one. */
export const fails = () => {
  throw new Error('no')
}

export type EditorAgent = {
  /** What it was given the last time that it ran. */
  given: ExecutorInput | null
  /** What it gives back. */
  answer: (input: ExecutorInput) => unknown[]
  /** The point at which its worker fails. */
  failing: string
  /** False where it reads nothing from outside. */
  tainted?: boolean
}

/** A garden of beds with the agent `editor`, which does as it is told, and a worker that runs it. */
export async function openEditor(agent: EditorAgent): Promise<{ h: Harness; worker: Worker }> {
  const h = await openHarness([], FILES)
  const worker = await h.worker({
    execute: async (input) => {
      agent.given = input
      return outputOf({ proposals: agent.answer(input) as never, tainted: agent.tainted ?? true })
    },
    failpoint: (name) => {
      if (name === agent.failing) throw new Error('a fault of the test')
    },
  })
  await addAgent(h.kit.db, 'editor')
  return { h, worker }
}

/** A rule that would approve the agent's edits of the beds is on until the answer is called. */
export async function ruleOverBeds(h: Harness): Promise<() => Promise<void>> {
  const owners = openDatabase(h.ownerUrl, { connections: 1 })
  const parts = { ...h.kit, db: owners, services: { env: h.kit.env } } as never
  const edits = { action: 'propose-edit', 'target.path': { prefix: 'notes/Beds/' } }
  const { rule_id } = await ruleOn(parts, contentOf(edits))
  return async () => {
    made(await removeRule(parts, { rule_id }, OWNER))
    await owners.close()
  }
}

/** The ways to ask and to look, among what is there by the time of the call. */
export function changesIn(ground: () => { h: Harness; worker: Worker; agent: EditorAgent }) {
  const kit = () => ground().h.kit
  const services = () => ({ ...kit(), env: { APPLY_HOLD_SECONDS: 10, ...kit().env } }) as never
  const digestOf = async (row: ProposalRow) =>
    reviewDigest(row, await standingAgainst(await currentContent(kit().garden), row.changes))
  const rowOf = async (id: string) => (await findProposal(kit().db, id)) as ProposalRow
  const proposalsOf = async (runId: string) =>
    (
      await kit().db.query<ProposalRow>(
        sql`SELECT * FROM proposal WHERE run_id = ${runId} ORDER BY target_path DESC`,
      )
    ).rows
  const runsOf = async () => (await kit().db.query(sql`SELECT 1 FROM run`)).rowCount
  const entries = async () => (await kit().db.query(sql`SELECT 1 FROM inbox_entry`)).rowCount
  const queue = async (sort = 'to_decide') =>
    (await proposalRows(kit(), proposalFilter.parse({ sort }))).rows.map((p) => p.proposal_id)

  const send = async (row: ProposalRow, more: object = {}) =>
    requestChanges(
      kit(),
      {
        proposal_id: row.proposal_id,
        review_digest: await digestOf(row),
        comments: COMMENTS,
        with_siblings: false,
        ...more,
      },
      OWNER,
    )
  /** A run's two proposals: one over two files, and its sibling. */
  async function proposed(): Promise<{ old: ProposalRow; sibling: ProposalRow; runId: string }> {
    const { worker, agent } = ground()
    agent.answer = () => [twoBeds(FIRST), herbs]
    const runId = await ask(kit(), 'editor', { question: 'What do the beds need?' })
    await until(worker, runId, status('completed'))
    const [old, sibling] = await proposalsOf(runId)
    return { old: old as ProposalRow, sibling: sibling as ProposalRow, runId }
  }
  /** Replays the run to its end; the id of the replay. */
  async function replayed(runId: string, from_step: 1 | 3 = 1): Promise<string> {
    const { run_id } = made(await rerunRun(kit(), { run_id: runId, from_step, reason: 'once more' }, OWNER))
    await returnUnanswered(kit())
    await until(ground().worker, run_id, status('completed'))
    return run_id
  }
  const finish = async ({ runId }: Requested) => {
    await until(ground().worker, runId, (run) => run.finished_at !== null)
    await returnUnanswered(kit())
  }
  /** What is left of a test makes no duplicate of the next one. */
  async function close(...rows: readonly ProposalRow[]) {
    for (const { proposal_id } of rows)
      await rejectProposal(kit(), { proposal_id, decision_note: 'the end of the test' }, OWNER)
    await kit().db.query(
      sql`UPDATE proposal SET decided_at = decided_at - interval '8 days' WHERE decided_at IS NOT NULL`,
    )
  }
  const agentIs = (event: 'pause' | 'resume') =>
    transition(kit().db, { machine: 'agent', event, actor: OWNER, where: sql`o.slug = 'editor'` })
  const looks = { services, digestOf, rowOf, proposalsOf, runsOf, entries, queue }
  return { ...looks, proposed, replayed, send, finish, close, agentIs }
}
