/** An agent that edits beds: what it proposes, what is asked of it, and ways to look at what becomes of that. */
import sql from 'sql-template-tag'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import type { Result } from '#domain/kernel/result.ts'
import { removeRule } from '#server/approval-rules/change-rules.ts'
import { contentOf, ruleOn } from '#server/approval-rules/testing/rule-kit.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { proposalRows } from '#server/proposals/list-proposals.query.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
import { type Harness, OWNER, until, type Worker } from '#server/runs/testing/harness.ts'
import { AGENT_FILE } from '#server/runs/testing/run-kit.ts'
import { type Requested, requestChanges } from '../request-changes.ts'
import { returnUnanswered } from '../return-changes.ts'

const BEDS = ['North', 'South', 'Herbs']
export const textOf = (bed: string, lines: readonly string[]) => `# ${bed}\n\n${lines.join('\n')}\n`
const EDITOR = AGENT_FILE('editor').replace('[propose-note]', '[propose-edit]')
export const FILES = [
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
export function changesIn(ground: () => { h: Harness; worker: Worker }) {
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
  return { services, digestOf, rowOf, proposalsOf, runsOf, entries, queue, send, finish, close, agentIs }
}
