/** Proposals for component tests; what is not named is that of one that waits for a decision. */
import {
  type ChangeView,
  type ProposalItem,
  type ProposalView,
  proposalItem,
  proposalView,
} from '#contracts/proposal.contract.ts'

const AT = '2026-03-02T09:00:00.000Z'
const HASH = 'a'.repeat(64)
const REVISION = 'b'.repeat(40)

const BASE = `${Array.from({ length: 30 }, (_, i) => `Line ${i + 1} of the note.`).join('\n')}\n`

/** A change of two places that are far enough apart to be two hunks. */
export const twoHunks = (text = BASE): string =>
  text.replace('Line 3 of', 'Line three of').replace('Line 25 of', 'Line twenty-five of')

export const idOf = (n: number): string => `prop_2026-03-02_${String(n).padStart(12, '0')}`

/** One row of the list. */
export function anItem(n: number, more: Partial<ProposalItem> = {}): ProposalItem {
  return proposalItem.parse({
    id: idOf(n),
    proposal_id: idOf(n),
    inbox_entry_id: 'inbox_2026-03-02_aaaaaa',
    status: 'PENDING',
    summary: `Proposal number ${n}`,
    action: 'update-note',
    target: { type: 'note', path: `notes/note-${n}.md` },
    source: {
      type: 'agent',
      identity: 'agent:librarian',
      run_id: null,
      agent_version: '1.0.0',
      tainted: false,
    },
    agent: 'librarian',
    run_id: null,
    priority: 'normal',
    created_at: AT,
    updated_at: AT,
    expires_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
    decided_by: null,
    decided_at: null,
    apply_not_before: null,
    git_commit: null,
    error_code: null,
    files: 1,
    additions: 2,
    deletions: 2,
    archived: false,
    archived_at: null,
    seen_at: AT,
    seen: true,
    seen_again: 0,
    snoozed_until: null,
    awaiting_changes_since: null,
    risk: null,
    freshness: { state: 'clean', mergeable: true, current_revision: REVISION, current_hash: HASH },
    commands: ['approve', 'reject', 'snooze'],
    ...more,
  } satisfies ProposalItem)
}

const CHANGE: ChangeView = {
  path: 'notes/note.md',
  type: 'replace',
  position: null,
  state: 'clean',
  base_hash: HASH,
  result_hash: HASH,
  current_hash: HASH,
  base_text: BASE,
  current_text: BASE,
  proposed_text: twoHunks(),
  proposed_content: {
    type: 'root',
    children: [{ type: 'element', tagName: 'p', properties: {}, children: [] }],
  },
  reading: false,
  unified: '',
  additions: 2,
  deletions: 2,
}

/** One under review. */
export function aProposal(n: number, more: Partial<ProposalView> = {}): ProposalView {
  return proposalView.parse({
    ...anItem(n),
    version: 1,
    content: { summary: `Proposal number ${n}`, changes: [], reasoning: '', citations: [], entity_refs: [] },
    relations: {},
    reasoning: 'The sources say otherwise.',
    citations: [
      {
        source: 'notes/source.md',
        lines: { from: 3, to: 5 },
        quote: 'Otherwise.',
        source_revision: REVISION,
      },
    ],
    entity_refs: [],
    base_revision: REVISION,
    target_hash: HASH,
    content_digest: HASH,
    review_digest: HASH,
    changes: [{ ...CHANGE, path: `notes/note-${n}.md` }],
    lineage: {
      inbox_id: 'inbox-1',
      entry_source: 'agent:librarian',
      received_at: AT,
      run_id: null,
      agent: 'librarian',
      agent_version: '1.0.0',
      git_commit: null,
      resubmitted_from: null,
      resubmitted_as: null,
      reverts: null,
      reverted_by: null,
      edited_from: null,
      rebased_from: null,
      superseded_by: null,
      supersedes: null,
      remainder_of: null,
      remainder_as: null,
    },
    approval: null,
    apply_result: {
      attempt: 0,
      git_commit: null,
      repository: null,
      object_paths: [],
      remote: 'none',
      remote_pushed_at: null,
      applied_over_hash: null,
      result_hash: null,
      rebased: false,
      error: null,
    },
    change_request: null,
    rule_trace: [],
    queue_place: null,
    ...more,
  } satisfies ProposalView)
}

/** One whose file was changed meanwhile, so that it cannot be merged: `current` is what the file says now. */
export function inConflict(n: number, current: string, more: Partial<ProposalView> = {}): ProposalView {
  const { changes, freshness } = aProposal(n)
  const current_hash = Array.from(current, (c) => c.charCodeAt(0).toString(16))
    .join('')
    .padEnd(64, '0')
    .slice(0, 64)
  return aProposal(n, {
    commands: ['reject', 'rebase', 'extend'],
    freshness: freshness && { ...freshness, state: 'changed', mergeable: false, current_hash },
    changes: changes.map((c) => ({ ...c, state: 'changed', current_hash, current_text: current })),
    ...more,
  })
}

/** What the Apply Engine leaves of a conflict that nobody saw in time. */
export const failedInConflict = (n: number, current: string): ProposalView =>
  inConflict(n, current, {
    status: 'FAILED',
    error_code: 'conflict',
    commands: ['reject', 'force', 'rebase'],
    apply_result: {
      ...aProposal(n).apply_result,
      error: { code: 'conflict', message: 'The target is no longer what was reviewed.' },
    },
  })
