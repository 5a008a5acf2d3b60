import type { Caller } from '#domain/authority/caller.ts'
import type { Relations } from '#server/proposals/proposal-row.ts'
import type { RerunOf } from './entry-handlers.ts'

/** What the gateway or the run pipeline knows of an entry besides its body; none of it is ever taken from the body. */
export type Origin = {
  sourceType: 'ui' | 'agent' | 'cron' | 'webhook' | 'mcp' | 'api' | 'zone'
  /** Ids that a run computes, so that a replayed step finds what it created before. */
  inboxId: string | null
  proposalId: string | null
  runId: string | null
  agentSlug: string | null
  agentVersion: string | null
  safeOutputs: readonly string[]
  tainted: boolean
  baseRevision: string | undefined
  relations: Relations
  /** What starts the run, where the entry becomes one. */
  trigger: 'manual' | 'cron' | 'event' | 'rerun'
  /** The run that it replays, where the entry becomes one. */
  rerun: RerunOf | null
}

/** The origin of this caller's entry, with what is `given` on top. */
export const originOf = (caller: Caller, given: Partial<Origin> = {}): Origin => ({
  sourceType: caller.role === 'agent' ? 'agent' : caller.via === 'api' ? 'api' : 'ui',
  inboxId: null,
  proposalId: null,
  runId: null,
  agentSlug: null,
  agentVersion: null,
  safeOutputs: [],
  tainted: false,
  baseRevision: undefined,
  relations: {},
  trigger: 'manual',
  rerun: null,
  ...given,
})
