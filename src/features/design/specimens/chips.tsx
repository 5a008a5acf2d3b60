import { useTranslations } from 'use-intl/react'
import { AGENT_STYLES } from '#features/agents/index.ts'
import { ALERT_STYLES, DELIVERY_STYLES, SEVERITY_STYLES } from '#features/alerts/index.ts'
import { GROUNDING_STYLES } from '#features/artifacts/index.ts'
import { OUTCOME_STYLES } from '#features/audit/index.ts'
import { INBOX_STYLES } from '#features/inbox/index.ts'
import { JOB_STYLES } from '#features/jobs/index.ts'
import { KEY_STYLES } from '#features/keys/index.ts'
import { PROPOSAL_STYLES } from '#features/proposals/index.ts'
import { RUN_STYLES, STEP_STYLES } from '#features/runs/index.ts'
import { ACCOUNT_STYLES, HEALTH_STYLES } from '#features/settings/index.ts'
import { ZONE_STYLES } from '#features/zones/index.ts'
import { LiveIndicator } from '#ui/live-indicator.tsx'
import { OutcomeMarks } from '#ui/outcome-marks.tsx'
import { StatusBadge, type StatusStyle } from '#ui/status-badge.tsx'
import type { Specimen, SpecimenState } from '../specimen.ts'

/** The words of a machine stand under this key of all messages. */
type Machine = { name: string; words: string; looks: Record<string, StatusStyle> }

const MACHINES: readonly Machine[] = [
  { name: 'proposal', words: 'proposals.state', looks: PROPOSAL_STYLES },
  { name: 'job', words: 'jobs.state', looks: JOB_STYLES },
  { name: 'run', words: 'runs.state', looks: RUN_STYLES },
  { name: 'step of a run', words: 'runs.stepState', looks: STEP_STYLES },
  { name: 'Inbox Entry', words: 'inbox.state', looks: INBOX_STYLES },
  { name: 'agent', words: 'agents.state', looks: AGENT_STYLES },
  { name: 'grounding of an artifact', words: 'artifacts.grounding', looks: GROUNDING_STYLES },
  { name: 'zone', words: 'zones.state', looks: ZONE_STYLES },
  { name: 'alert', words: 'alerts.state', looks: ALERT_STYLES },
  { name: 'severity of an alert', words: 'alerts.severities', looks: SEVERITY_STYLES },
  { name: 'notification of an alert', words: 'alerts.deliveryState', looks: DELIVERY_STYLES },
  { name: 'outcome of an audit event', words: 'audit.outcomes', looks: OUTCOME_STYLES },
  { name: 'component of the system', words: 'settings.states', looks: HEALTH_STYLES },
  { name: 'machine key', words: 'keys.state', looks: KEY_STYLES },
  { name: 'account', words: 'settings.accountStates', looks: ACCOUNT_STYLES },
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

const marks: SpecimenState = {
  name: 'the latest outcomes of something',
  Show: () => (
    <OutcomeMarks
      summary="Every state of a run"
      marks={Object.entries(RUN_STYLES).map(([id, style]) => ({ ...style, id, tip: id }))}
    />
  ),
}

export const chips: Specimen = {
  name: 'StatusBadge',
  of: ['status-badge.tsx', 'live-indicator.tsx', 'outcome-marks.tsx'],
  states: [
    ...MACHINES.map((machine) => ({ name: machine.name, Show: () => <Chips {...machine} /> })),
    live,
    marks,
  ],
}
