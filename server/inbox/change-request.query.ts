import sql from 'sql-template-tag'
import { type ChangeRequestView, changesRequested } from '#contracts/change-request.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { wasChanged } from '#domain/proposal/change-request.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
import { notFound } from '#server/proposals/transition-proposal.ts'
import type { Services } from '#server/services.ts'
import { reviewedTexts } from './reviewed-request.ts'
import { countPendingSiblings } from './siblings.query.ts'

type Parts = Pick<Services, 'db' | 'garden'>

/** Who could answer a request for changes, the latest one, and, of an answer, what it changed since the review. */
export async function getChangeRequest(parts: Parts, id: string): Promise<Result<ChangeRequestView>> {
  const row = await findProposal(parts.db, id)
  if (!row) return notFound()
  const reviewed = row.relations.supersedes ? await findProposal(parts.db, row.relations.supersedes) : null
  // Asked for changes once more, an answer is a proposal like any other.
  const old = reviewed && !row.change_request ? reviewed : null
  const files = reviewed ? await sinceReview(parts, reviewed, row) : null
  return ok({
    answerer: await answererOf(parts.db, row.agent_slug),
    siblings: await countPendingSiblings(parts.db, row),
    request: await requestOf(parts.db, old ?? row, old ? files : null),
    since_review: files,
  })
}

type Files = NonNullable<ChangeRequestView['since_review']>

/** Each file of either: the text that was reviewed, and the one that is proposed now. */
async function sinceReview(parts: Parts, old: ProposalRow, row: ProposalRow): Promise<Files> {
  const paths = [...new Set([...row.changes, ...old.changes].map(({ path }) => path))]
  const proposed = async (of: ProposalRow, path: string) => {
    const change = of.changes.find((one) => one.path === path)
    return change ? reviewedTexts(parts, of, change) : null
  }
  return Promise.all(
    paths.map(async (path) => {
      const [was, is] = [await proposed(old, path), await proposed(row, path)]
      // A file that one of the two leaves alone stays as the other found it.
      return {
        path,
        before: (was ? was.proposed : is?.base) ?? null,
        after: (is ? is.proposed : was?.base) ?? null,
      }
    }),
  )
}

type Asked = Row<'inbox_entry', 'inbox_id' | 'payload' | 'received_at'> & {
  run: Row<'run', 'run_id' | 'status' | 'error' | 'cancel_requested'> | null
}

async function requestOf(
  db: Db,
  row: ProposalRow,
  files: Files | null,
): Promise<ChangeRequestView['request']> {
  const { rows } = await db.query<Asked>(sql`SELECT e.inbox_id, e.payload, e.received_at, to_jsonb(r) AS run
    FROM inbox_entry e LEFT JOIN run r ON r.inbox_entry_id = e.inbox_id WHERE e.inbox_id = ${row.change_request}`)
  const [asked] = rows
  const changes = changesRequested.safeParse(asked?.payload.changes_requested)
  if (!asked || !changes.success) return null
  const { run } = asked
  const { proposal_id, note, comments } = changes.data
  return {
    inbox_id: asked.inbox_id,
    requested_at: asked.received_at.toISOString(),
    proposal_id,
    note,
    comments: comments.map((comment) => {
      const file = files?.find(({ path }) => path === comment.path)
      return { ...comment, changed: file ? wasChanged(comment, file) : null }
    }),
    run_id: run?.run_id ?? null,
    run_status: run?.status ?? null,
    run_error: run?.error?.message ?? run?.cancel_requested ?? null,
    answered_by: row.relations.superseded_by ?? row.relations.answered_by ?? null,
  }
}

async function answererOf(db: Db, agent: string | null): Promise<ChangeRequestView['answerer']> {
  if (!agent) return { agent, status: null, problem: 'no_agent' }
  const { rows } = await db.query<Row<'agent', 'status'> & { by_hand: boolean }>(
    sql`SELECT status, coalesce(definition #> '{triggers,manual}' <> 'false', true) AS by_hand FROM agent WHERE slug = ${agent}`,
  )
  const [found] = rows
  if (!found) return { agent, status: null, problem: 'agent_gone' }
  const { status, by_hand } = found
  if (status !== agentMachine.events.activate.to) return { agent, status, problem: 'agent_inactive' }
  return { agent, status, problem: by_hand ? null : 'not_by_hand' }
}
