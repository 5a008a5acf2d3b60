import type { RuleName } from './conditions.ts'

/** What a rule is called in English: on the page and in messages to mailboxes, which have no language of their own. */
export const RULE_TITLES: Record<RuleName, string> = {
  JobQueuedTooLong: 'Jobs queued too long',
  DeadJobRate: 'High dead job rate',
  DeadJobs: 'Dead jobs',
  ArtifactWriteFailing: 'Artifact writes failing',
  ContextTimeouts: 'Context assembly timing out',
  NlmDown: 'NotebookLM backend failing',
  RunFailures: 'Runs failing',
  RunSlow: 'Slow runs',
  AgentFailing: 'Agent failing',
  ProposalWaiting: 'Proposals pending too long',
  ApplyFailing: 'Applies failing',
  WorkerLost: 'Worker lost',
  FenceRefusals: 'Stale writes refused',
  StorageDown: 'Storage unavailable',
  StorageFull: 'Disk filling up',
  AuditLag: 'Audit behind',
  AuditBroken: 'Audit verification failed',
  RemoteLag: 'Git remote out of sync',
  RefusalBurst: 'Burst of refused requests',
  SloBurn: 'Error budget burning',
}
