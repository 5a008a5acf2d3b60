'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { AgentHealth } from '#contracts/runtime-settings.contract.ts'
import type { WorkerView } from '#contracts/worker.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Section } from '#ui/section.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Milliseconds, RelativeTime } from '#ui/time.tsx'

/** What the agent of a worker says of itself. It is asked only when somebody wants to know: the node is another machine. */
export function WorkerAgent({ worker }: { worker: WorkerView }) {
  const t = useTranslations('workers')
  const trpc = useTRPC()
  const health = useQuery(
    trpc.workers.agentHealth.queryOptions({ id: worker.id }, { enabled: false, retry: false, gcTime: 0 }),
  )
  const run = () => {
    if (!health.isFetching) health.refetch()
  }
  useAction({ id: 'workers.checkAgent', label: t('checkAgent'), group: t('title'), run })
  return (
    <Section title={t('agent')} hint={t('agentHint')}>
      <div aria-live="polite">
        {health.error ? <ErrorState error={health.error} onRetry={run} /> : null}
        {health.data ? <Verdict health={health.data} /> : null}
      </div>
      {health.data ? <Facts health={health.data} /> : null}
      <div className="mt-3">
        <Button busy={health.isFetching} onClick={run}>
          {t('checkAgent')}
        </Button>
      </div>
    </Section>
  )
}

/** Whether it answered: what is said aloud. */
function Verdict({ health }: { health: AgentHealth }) {
  const t = useTranslations('workers')
  return (
    <div className="mb-2">
      <StatusBadge tone={health.reachable ? 'done' : 'failed'}>
        {t(health.reachable ? 'agentReachable' : 'agentUnreachable')}
      </StatusBadge>
      {health.reachable ? null : <p className="text-ink-2">{health.error}</p>}
      {health.reachable && health.dryrun ? <p className="text-ink-2">{t('agentDryRunState')}</p> : null}
    </div>
  )
}

/** What it says of itself, and when: the age changes by itself and is not said aloud. */
function Facts({ health }: { health: AgentHealth }) {
  const t = useTranslations('workers')
  const checked: FieldRow = { label: t('agentChecked'), value: <RelativeTime at={health.checked_at} /> }
  if (!health.reachable) return <FieldList rows={[checked]} />
  const { version, hostname, uptime_seconds: uptime, allow_process_control: control } = health
  const rows: (FieldRow | null)[] = [
    version === undefined ? null : { label: t('agentVersion'), value: version },
    hostname === undefined ? null : { label: t('agentHost'), value: hostname },
    uptime === undefined ? null : { label: t('agentUptime'), value: <Milliseconds ms={uptime * 1_000} /> },
    control === undefined
      ? null
      : {
          label: t('agentControl'),
          value: t(control ? 'agentControlState.true' : 'agentControlState.false'),
        },
    checked,
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}
