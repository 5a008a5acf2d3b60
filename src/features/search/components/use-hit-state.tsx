'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { SearchHit } from '#contracts/search.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import { AGENT_STYLES } from '#features/agents/index.ts'
import { JOB_STYLES } from '#features/jobs/index.ts'
import { PROPOSAL_STYLES } from '#features/proposals/index.ts'
import { RUN_STYLES } from '#features/runs/index.ts'
import { ZONE_STYLES } from '#features/zones/index.ts'
import { StatusBadge } from '#ui/status-badge.tsx'

/** The states of what is found, in the reader's words and the look of their rooms. */
export function useHitStates() {
  const proposals = useTranslations('proposals')
  const jobs = useTranslations('jobs')
  const runs = useTranslations('runs')
  const agents = useTranslations('agents')
  const zones = useTranslations('zones')
  const labels: readonly (readonly [string, string])[] = [
    ...proposalMachine.states.map((state) => [state, proposals(`state.${state}`)] as const),
    ...jobMachine.states.map((state) => [state, jobs(`state.${state}`)] as const),
    ...runMachine.states.map((state) => [state, runs(`state.${state}`)] as const),
    ...agentMachine.states.map((state) => [state, agents(`state.${state}`)] as const),
    ...zoneMachine.states.map((state) => [state, zones(`state.${state}`)] as const),
  ]
  const badge = (hit: SearchHit): ReactNode => {
    switch (hit.kind) {
      case 'proposal':
        return <StatusBadge {...PROPOSAL_STYLES[hit.status]}>{proposals(`state.${hit.status}`)}</StatusBadge>
      case 'job':
        return <StatusBadge {...JOB_STYLES[hit.status]}>{jobs(`state.${hit.status}`)}</StatusBadge>
      case 'run':
        return <StatusBadge {...RUN_STYLES[hit.status]}>{runs(`state.${hit.status}`)}</StatusBadge>
      case 'agent':
        return <StatusBadge {...AGENT_STYLES[hit.status]}>{agents(`state.${hit.status}`)}</StatusBadge>
      case 'zone':
        return <StatusBadge {...ZONE_STYLES[hit.status]}>{zones(`state.${hit.status}`)}</StatusBadge>
      default:
        return null
    }
  }
  return { badge, labels }
}

const LEAST_LETTERS = 3

/** The states whose label begins as the text: what is typed may be in the reader's language. */
export function statesLike(labels: readonly (readonly [string, string])[], text: string): string[] {
  const start = text.trim().toLocaleLowerCase()
  if (start.length < LEAST_LETTERS) return []
  const named = labels.filter(([, label]) => label.toLocaleLowerCase().startsWith(start))
  return [...new Set(named.map(([state]) => state))]
}
