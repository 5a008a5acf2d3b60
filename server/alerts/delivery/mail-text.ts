import type { AlertMessage, AlertView } from '#contracts/alert.contract.ts'
import { RULE_TITLES } from '#domain/alert/alert-words.ts'
import type { ConditionName } from '#domain/alert/conditions.ts'

/** Subject and text of the e-mail about an alert; in English, since nobody knows who reads it. */
export function mailText({ incident, eventType, url }: AlertMessage): { subject: string; text: string } {
  if (!incident)
    return {
      subject: '[Garden Bloom] Test message',
      text: `This is a test of the e-mail channel for alerts.\n\n${url}\n`,
    }
  const title = RULE_TITLES[incident.rule]
  const state = STATES[eventType as keyof typeof STATES]
  const lines = [
    `${title} (${incident.severity}): ${state}.`,
    '',
    `${MEASURED[incident.condition]}: ${measure(incident.value, incident.unit)}`,
    `Threshold: ${incident.threshold.comparison} ${measure(incident.threshold.value, incident.unit)}`,
    `Resource: ${incident.resource}`,
    `Opened: ${incident.opened_at}`,
    ...(incident.closed_at ? [`Closed: ${incident.closed_at}`] : []),
    '',
    url,
    '',
  ]
  return { subject: `[Garden Bloom] ${title}: ${state}`, text: lines.join('\n') }
}

const STATES = {
  'incident.opened': 'opened',
  'incident.escalated': 'escalated',
  'incident.resolved': 'closed',
  'incident.test': 'test',
} as const

/** A value as people read it. */
export function measure(value: number, unit: AlertView['unit']): string {
  if (unit === 'share') return `${(value * 100).toFixed(1)} %`
  if (unit === 'budget') return `${value.toFixed(1)} × the error budget`
  if (unit === 'seconds') return `${Math.max(0, Math.round(value))} s`
  return unit === 'in_a_row' ? `${value} in a row` : String(value)
}

const MEASURED: Record<ConditionName, string> = {
  jobs_queued: 'Jobs queued for more than 5 minutes',
  dead_rate: 'Dead jobs of all that ended in 7 days',
  dead_jobs: 'Dead jobs',
  artifact_writes: 'Failed artifact writes',
  contexts: 'Context timeouts',
  nlm_down: 'Unavailable for',
  nlm_errors: 'Failed calls in the last hour',
  run_failures: 'Failed of the last 10 runs',
  run_p95: 'Run duration (p95) in the last hour',
  agent_failures: 'Failed runs',
  proposals_waiting: 'Proposals pending for more than 48 hours',
  proposals_expiring: 'Proposals that expire within 4 hours',
  applies: 'Failed applies',
  worker_silent: 'Last heartbeat, with leases held',
  fence_refusals: 'Stale writes in 10 minutes',
  storage_down: 'Unavailable for',
  storage_used: 'Disk used',
  audit_unmirrored: 'Oldest event that is not mirrored',
  audit_unsigned: 'Oldest event without a signed head',
  audit_faults: 'Faults found by the last verification',
  remote_lag: 'Not pushed for',
  refusals: 'Refused requests in 5 minutes',
  slo_6h: 'Job completion over 6 hours',
  slo_1h: 'Job completion over 1 hour',
}
