import { useTranslations } from 'use-intl/react'
import { AGENT_LOOK } from '#features/agents/index.ts'
import { GROUNDING_LOOK } from '#features/artifacts/index.ts'
import { OUTCOME_LOOK } from '#features/audit/index.ts'
import { INBOX_LOOK } from '#features/inbox/index.ts'
import { JOB_LOOK } from '#features/jobs/index.ts'
import { PROPOSAL_LOOK } from '#features/proposals/index.ts'
import { RUN_LOOK, STEP_LOOK } from '#features/runs/index.ts'
import { ACCOUNT_LOOK, HEALTH_LOOK } from '#features/settings/index.ts'
import { ZONE_LOOK } from '#features/zones/index.ts'
import { LiveIndicator } from '#ui/live-indicator.tsx'
import { StatusBadge, type StatusLook } from '#ui/status-badge.tsx'
import type { Specimen, SpecimenState } from '../specimen.ts'

/** The words of a machine stand under this key of all messages. */
type Machine = { name: string; words: string; looks: Record<string, StatusLook> }

const MACHINES: readonly Machine[] = [
  { name: 'proposal', words: 'proposals.state', looks: PROPOSAL_LOOK },
  { name: 'job', words: 'jobs.state', looks: JOB_LOOK },
  { name: 'run', words: 'runs.state', looks: RUN_LOOK },
  { name: 'step of a run', words: 'runs.stepState', looks: STEP_LOOK },
  { name: 'Inbox Entry', words: 'inbox.state', looks: INBOX_LOOK },
  { name: 'agent', words: 'agents.state', looks: AGENT_LOOK },
  { name: 'grounding of an artifact', words: 'artifacts.grounding', looks: GROUNDING_LOOK },
  { name: 'zone', words: 'zones.state', looks: ZONE_LOOK },
  { name: 'outcome of an audit event', words: 'audit.outcomes', looks: OUTCOME_LOOK },
  { name: 'component of the system', words: 'settings.states', looks: HEALTH_LOOK },
  { name: 'account', words: 'settings.accountStates', looks: ACCOUNT_LOOK },
]

function Chips({ words, looks }: Machine) {
  const t = useTranslations() as unknown as (key: string) => string
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-3">
      {Object.entries(looks).map(([state, look]) => (
        <li key={state} className="flex items-center gap-3">
          <StatusBadge {...look} variant="soft">
            {t(`${words}.${state}`)}
          </StatusBadge>
          <StatusBadge {...look}>{t(`${words}.${state}`)}</StatusBadge>
        </li>
      ))}
    </ul>
  )
}

const LIVE = ['connecting', 'live', 'polling', 'offline'] as const

const live: SpecimenState = {
  name: 'live updates',
  Show: () => (
    <div className="flex flex-wrap gap-6">
      {LIVE.map((state) => (
        <LiveIndicator key={state} state={state} />
      ))}
    </div>
  ),
}

export const chips: Specimen = {
  name: 'StatusBadge',
  of: ['status-badge.tsx', 'live-indicator.tsx'],
  states: [...MACHINES.map((machine) => ({ name: machine.name, Show: () => <Chips {...machine} /> })), live],
}
