'use client'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { AgentCard } from '#contracts/agent.contract.ts'
import { DECISIONS_COUNTED, RUNS_COUNTED } from '#domain/agent/agent.rules.ts'
import { RUN_STYLES } from '#features/runs/index.ts'
import { OutcomeMarks } from '#ui/outcome-marks.tsx'
import { RelativeTime } from '#ui/time.tsx'

/** What starts runs of the agent, and when the next one comes; nothing where a person does and nothing else. */
export function AgentTriggers({ agent }: { agent: Pick<AgentCard, 'triggers' | 'next_run_at'> }) {
  const t = useTranslations('agents')
  const { manual, cron, zone, events } = agent.triggers
  if (manual && cron === null && events.length === 0) return null
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-1">
      {manual ? null : <span>{t('noManual')}</span>}
      {cron === null ? null : (
        <span>
          <code className="font-mono">{cron}</code> {zone}
        </span>
      )}
      {agent.next_run_at ? (
        <span>
          {t('nextRun')} <RelativeTime at={agent.next_run_at} />
        </span>
      ) : null}
      {events.map((event) => (
        <span key={event}>{t(`event.${event}`)}</span>
      ))}
    </span>
  )
}

/** How many runs the agent has; of many, that there are at least so many. */
export function RunsTotal({ agent: { runs_total: n } }: { agent: Pick<AgentCard, 'runs_total'> }) {
  const t = useTranslations('agents')
  return <span>{t('runs', { n, atLeast: n < RUNS_COUNTED ? '' : '≥ ' })}</span>
}

/** How the agent has done: its last runs, and how much of what it proposed lately was approved. */
export function AgentRecord({ agent }: { agent: AgentCard }) {
  const t = useTranslations('agents')
  const { recent_runs, proposals_decided: decided, proposals_approved: approved } = agent
  const latest = decided < DECISIONS_COUNTED ? 'no' : 'yes'
  return (
    <>
      {recent_runs.length > 1 ? <RecentRuns runs={recent_runs.toReversed()} /> : null}
      {decided > 0 ? <span>{t('acceptance', { share: approved / decided, n: decided, latest })}</span> : null}
      {agent.tainted ? <span data-tip={t('taintedHint')}>{t('tainted')}</span> : null}
    </>
  )
}

/** How the last runs ended, the newest on the right. */
function RecentRuns({ runs }: { runs: AgentCard['recent_runs'] }) {
  const t = useTranslations('agents')
  const words = useTranslations('runs')
  const format = useFormatter()
  const done = runs.filter((run) => run.status === 'completed').length
  const at = (time: string) => format.dateTime(new Date(time), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <OutcomeMarks
      summary={t('recent', {
        done,
        n: runs.length,
        words: runs.map(({ status }) => words(`state.${status}`)).join(', '),
      })}
      marks={runs.map(({ run_id, status, requested_at }) => ({
        ...RUN_STYLES[status],
        id: run_id,
        tip: `${words(`state.${status}`)} · ${at(requested_at)}`,
      }))}
    />
  )
}
