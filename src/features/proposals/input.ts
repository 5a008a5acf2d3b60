import type { ProposalFilterInput } from '#contracts/proposal.contract.ts'
import type { ProposalState } from '#domain/proposal/proposal.machine.ts'

export const PROPOSAL_FILTERS = ['tab', 'q', 'agent'] as const
export const TABS = ['decide', 'working', 'failed', 'history', 'archived', 'snoozed', 'changes'] as const
export type Tab = (typeof TABS)[number]

const ENDED: ProposalState[] = ['APPLIED', 'REJECTED', 'DISCARDED', 'EXPIRED']
/** The states of each tab. */
const STATES: Record<Tab, ProposalState[]> = {
  decide: ['PENDING'],
  working: ['APPROVED', 'AUTO_APPROVED', 'APPLYING'],
  failed: ['FAILED'],
  history: ENDED,
  archived: ENDED,
  snoozed: ['PENDING'],
  changes: ['PENDING'],
}

const SORTS: Partial<Record<Tab, ProposalFilterInput['sort']>> = {
  decide: 'to_decide',
  snoozed: 'snoozed',
  changes: 'awaiting_changes',
}

export const tabOf = (value: string | null | undefined): Tab => TABS.find((tab) => tab === value) ?? 'decide'

/** The states of a tab; the same array each time. */
export const statesOf = (tab: Tab): readonly ProposalState[] => STATES[tab]

/** The list's input from the URL; the server and the browser build it alike. */
export function proposalsInput(
  values: Readonly<Record<string, string | null | undefined>>,
): ProposalFilterInput {
  const tab = tabOf(values.tab)
  const { q, agent } = values
  return {
    status: STATES[tab],
    sort: SORTS[tab] ?? 'newest',
    ...(tab === 'archived' ? { archived: true } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
    ...(agent ? { agent: agent.slice(0, 64) } : {}),
  }
}
