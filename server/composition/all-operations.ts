import { agentOperations } from '#server/agents/agents.operations.ts'
import { alertOperations } from '#server/alerts/alerts.operations.ts'
import { approvalRuleOperations } from '#server/approval-rules/approval-rules.operations.ts'
import { artifactOperations } from '#server/artifacts/artifacts.operations.ts'
import { auditOperations } from '#server/audit/audit.operations.ts'
import { accountOperations } from '#server/auth/accounts.operations.ts'
import { sessionOperations } from '#server/auth/sessions.operations.ts'
import { dashboardOperations } from '#server/dashboard/dashboard.operations.ts'
import { changeRequests } from '#server/inbox/change-requests.operations.ts'
import { inboxOperations } from '#server/inbox/inbox.operations.ts'
import { proposalSuccessors } from '#server/inbox/proposal-successors.operations.ts'
import { jobOperations } from '#server/jobs/jobs.operations.ts'
import { keyOperations } from '#server/keys/keys.operations.ts'
import { leadershipOperations } from '#server/membridge/leadership.operations.ts'
import { membridgeOperations } from '#server/membridge/membridge.operations.ts'
import { nodeOperations } from '#server/membridge/nodes.operations.ts'
import { needsOperations } from '#server/needs/needs.operations.ts'
import { noteOperations } from '#server/notes/notes.operations.ts'
import type { Operation } from '#server/operations/operation.ts'
import { proposalBatches } from '#server/proposals/batch.operations.ts'
import { proposalCommands } from '#server/proposals/proposal-commands.operations.ts'
import { proposalOperations } from '#server/proposals/proposals.operations.ts'
import { pushOperations } from '#server/push/push.operations.ts'
import { questionOperations } from '#server/questions/questions.operations.ts'
import { runOperations } from '#server/runs/runs.operations.ts'
import { runtimeConfigOperations } from '#server/runtime/runtime-config.operations.ts'
import { taskOperations } from '#server/runtime/tasks.operations.ts'
import { workerOperations } from '#server/runtime/workers.operations.ts'
import { searchOperations } from '#server/search/search.operations.ts'
import { systemOperations } from '#server/system/system.operations.ts'
import { viewOperations } from '#server/views/views.operations.ts'
import { zoneOperations } from '#server/zones/zones.operations.ts'

/** Everything that can be asked of the product, by room. */
export const allOperations = {
  inbox: inboxOperations,
  needs: needsOperations,
  approvalRules: approvalRuleOperations,
  proposals: {
    ...proposalOperations,
    ...proposalCommands,
    ...proposalSuccessors,
    ...changeRequests,
    ...proposalBatches,
  },
  runs: runOperations,
  questions: questionOperations,
  jobs: jobOperations,
  artifacts: artifactOperations,
  agents: agentOperations,
  notes: noteOperations,
  zones: zoneOperations,
  search: searchOperations,
  audit: auditOperations,
  alerts: alertOperations,
  system: systemOperations,
  dashboard: dashboardOperations,
  accounts: accountOperations,
  sessions: sessionOperations,
  keys: keyOperations,
  views: viewOperations,
  push: pushOperations,
  membridge: membridgeOperations,
  nodes: nodeOperations,
  leadership: leadershipOperations,
  tasks: taskOperations,
  workers: workerOperations,
  runtime: runtimeConfigOperations,
}

/** The same in one list. */
export const operationList: readonly Operation[] = Object.values(allOperations).flatMap((room): Operation[] =>
  Object.values(room),
)
