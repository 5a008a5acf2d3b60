/** Batches over the review queue of a component test: what is in conflict or gone is left out or fails, as the server says it. */
import type { ProposalItem, ProposalView } from '#contracts/proposal.contract.ts'
import {
  type AlikeGroups,
  type BatchInput,
  type BatchPreviewInput,
  type BatchResult,
  batchAnswer,
  batchPreview,
  combinedDiff,
} from '#contracts/proposal-batch.contract.ts'
import { mutation, query } from '#lib/testing/procedures.ts'

type Queue = {
  all: ReadonlyMap<string, ProposalView>
  asked: { command: string; input: unknown }[]
  /** What an approval or a rejection makes of a proposal; not noted as asked. */
  become: (id: string, more: Partial<ProposalItem>) => void
  held: () => Partial<ProposalItem>
}

export const NO_ALIKE: AlikeGroups = { groups: [], alike: { count: 0, exact: true } }

const inConflict = ({ freshness }: ProposalView) =>
  freshness !== null && freshness.state !== 'clean' && !freshness.mergeable

export const batchProcedures = (queue: Queue) => ({
  batchPreview: query(batchPreview, ({ proposal_ids, status }: BatchPreviewInput) => {
    const found = proposal_ids.flatMap((id) => queue.all.get(id) ?? [])
    const left = status === 'APPROVED' ? found.filter(inConflict) : []
    const taken = found.filter((p) => !left.includes(p))
    return {
      status,
      commits: status === 'APPROVED' ? taken.length : 0,
      files: taken.length,
      conflicts: left.length,
      expired: 0,
      highest_priority: 'normal' as const,
      highest_risk: taken.some(({ risk }) => risk?.level === 'high') ? ('high' as const) : null,
      proposals: taken.map(({ proposal_id, summary, target, priority, risk, review_digest }) => ({
        proposal_id,
        summary,
        path: target.path,
        priority,
        risk: risk?.level ?? null,
        review_digest,
        overlaps: false,
      })),
      excluded: left.map(({ proposal_id, summary, status: now }) => ({
        proposal_id,
        summary,
        status: now,
        reason: 'conflict' as const,
      })),
    }
  }),
  batch: mutation(batchAnswer, (input: BatchInput) => {
    queue.asked.push({ command: 'batch', input })
    const results = input.proposal_ids.map((id): BatchResult => {
      const one = { proposal_id: id, status: input.status }
      const p = queue.all.get(id)
      if (input.status === 'REJECTED') {
        queue.become(id, { status: 'REJECTED', commands: [] })
        return { ...one, outcome: 'updated' }
      }
      if (!p || input.review_digests?.[id] !== p.review_digest)
        return { ...one, status: 'PENDING', outcome: 'error', code: 'STALE_REVIEW', message: 'changed' }
      queue.become(id, { ...queue.held(), commands: ['undo'] })
      return { ...one, outcome: 'updated' }
    })
    const errors = results.filter((r) => r.outcome === 'error')
    return { updated: results.length - errors.length, skipped: 0, results, errors }
  }),
  combined: query(combinedDiff, ({ proposal_ids }: { proposal_ids: string[] }) => {
    const found = proposal_ids.flatMap((id) => queue.all.get(id) ?? [])
    return {
      files: found.map((p) => ({
        path: p.target.path,
        before: 'Before.\n',
        after: `${p.summary}.\n`,
        proposal_ids: [p.proposal_id],
      })),
      review_digests: Object.fromEntries(found.map((p) => [p.proposal_id, p.review_digest])),
      left_out: [],
    }
  }),
})

/** A group of these proposals; the first `outliers` of them remove text. */
export function aGroup(members: readonly ProposalView[], outliers = 0): AlikeGroups {
  const group = {
    key: 'librarian|propose-tag|notes/Beds|replace|small',
    agent: 'librarian',
    source: 'agent:librarian',
    action: 'propose-tag',
    folder: 'notes/Beds',
    kinds: ['replace'],
    size: 'small' as const,
    count: members.length,
    outliers,
    members: members.map(({ proposal_id, summary, target, additions, deletions }, n) => ({
      proposal_id,
      summary,
      path: target.path,
      additions,
      deletions,
      outlier: n < outliers ? (['deletes'] as ['deletes']) : [],
    })),
  }
  return { groups: [group], alike: { count: members.length, exact: true } }
}
