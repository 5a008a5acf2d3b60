/** Leadership for component tests: one project that alder leads, with birch in step; what is named differs. */
import type { z } from 'zod'
import { type LeadershipEvent, leadershipHistory } from '#contracts/leadership.contract.ts'
import {
  keptHistory,
  type LeadershipSummary,
  leadershipPage,
  type ProjectLeadership,
  projectLeadership,
  type promoteRequest,
  promotion,
} from '#contracts/leadership-console.contract.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'

export const CID = 'aeeafec3a5b5710f'
type Node = ProjectLeadership['nodes'][number]
export type Sent = z.input<typeof promoteRequest>

export const aNode = (node_id: string, more: Partial<Node> = {}): Node => ({
  ...{ node_id, canonical_id: CID, role: node_id === 'alder' ? 'primary' : 'secondary', obs_count: 100 },
  ...{
    db_sha: 'cd'.repeat(32),
    last_seen: Date.now() / 1_000 - 5,
    ip_addrs: [],
    registered_at: 1_750_000_000,
  },
  ...{ project_id: 'garden-seedling', agent_version: '0.4.0', online: true },
  ...{ leadership_enabled: true, admin_key: false },
  ...more,
})

export const aProject = (more: Partial<ProjectLeadership> = {}): ProjectLeadership => ({
  ...{
    canonical_id: CID,
    name: 'garden-seedling',
    fault: null,
    primary_node_id: 'alder',
    primary_online: true,
  },
  ...{ epoch: 12, term: 3, ttl_seconds: 2_530, needs_ui_selection: false, lease_state: 'valid' },
  ...{ issued_by: 'control-plane', lease_seconds: 3_600, store_refusal: null },
  pointer: {
    ...{ state: 'present', sha256: 'ab'.repeat(32), observations: 100, term: 3, pushed_by: 'alder' },
    ...{ pushed_at: Date.now() / 1_000 - 3_600, bytes: 350_000 },
  },
  lock: { state: 'free', node_id: null, age_seconds: null },
  nodes: [aNode('alder'), aNode('birch')],
  ...{ seen_at: Date.now() / 1_000, as_of: Date.now() / 1_000 },
  ...more,
})

export const aSummary = (more: Partial<LeadershipSummary> = {}): LeadershipSummary => {
  const { issued_by: _, lease_seconds: __, store_refusal: ___, ...project } = aProject()
  return { ...project, nodes: 2, nodes_online: 2, ...more }
}

export const aChange = (n: number, more: Partial<LeadershipEvent> = {}): LeadershipEvent => ({
  ...{ event_id: `evt_${n}`, at: 1_750_000_000 + n, name: 'leadership.promoted', outcome: 'ok' },
  ...{ actor: 'operator:bob', via: 'console', reason: 'alder was moved', error_code: null },
  details: { primary_node_id: 'alder', epoch: 12, term: 3 },
  ...more,
})

type Answers = {
  rows?: LeadershipSummary[]
  /** There is another page of rows. */
  more?: boolean
  project?: ProjectLeadership
  changes?: LeadershipEvent[]
  promote?: (sent: Sent) => z.input<typeof promotion>
}

/** Leadership behind the pages. `sent` is what was asked; `become` changes what is answered from then on. */
export function leadershipLedger(answers: Answers = {}) {
  const sent: Sent[] = []
  let project = answers.project ?? aProject()
  const promoted = (input: Sent): z.input<typeof promotion> => ({
    ...{ canonical_id: CID, primary_node_id: input.primary_node_id, epoch: 13, term: 4, known_node: true },
    lease: {
      ...{ canonical_id: CID, primary_node_id: input.primary_node_id, issued_by: 'control-plane' },
      ...{ policy: 'primary_authoritative', issued_at: 1, expires_at: 2, lease_seconds: 3_600 },
      ...{ epoch: 13, term: 4, needs_ui_selection: false },
    },
  })
  const procedures = {
    leadership: router({
      list: query(leadershipPage, () => ({
        items: answers.rows ?? [aSummary()],
        next_cursor: answers.more ? 'next' : null,
      })),
      get: query(projectLeadership, () => project),
      kept: query(keptHistory, () => ({ bytes: 1_250_000, snapshots: 3, complete: true })),
      history: query(leadershipHistory, () => ({
        items: answers.changes ?? [aChange(1)],
        next_cursor: null,
      })),
      promote: mutation(promotion, (input: Sent) => {
        sent.push(input)
        return (answers.promote ?? promoted)(input)
      }),
    }),
  }
  return { procedures, sent, become: (next: ProjectLeadership) => (project = next) }
}
