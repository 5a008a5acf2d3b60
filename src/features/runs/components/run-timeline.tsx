'use client'
import { useTranslations } from 'use-intl/react'
import type { RunDetail, RunPhase, RunSpan } from '#contracts/run.contract.ts'
import type { Bar } from '#ui/phase-scale.ts'
import { PhaseTimeline } from '#ui/phase-timeline.tsx'
import { PHASE_TONE } from '../status.ts'

/** The seven phases of a run on one axis: waiting apart from work, failed attempts apart, a mark at each resume. */
export function RunTimeline({ run }: { run: RunDetail }) {
  const t = useTranslations('runs')
  const start = new Date(run.requested_at).getTime()
  return (
    <PhaseTimeline
      label={t('timeline')}
      resumes={run.markers.map((m) => start + m.at_ms)}
      phases={run.phases.map((phase) => {
        const tone = PHASE_TONE[phase.state]
        return {
          id: phase.name,
          label: t(`phases.${phase.name}`),
          bars: barsOf(phase, run.spans, start),
          status: tone ? { tone, word: t(`phaseState.${phase.state}`) } : null,
        }
      })}
    />
  )
}

const KIND: Record<RunSpan['kind'], Bar['kind']> = {
  queue: 'wait',
  wait: 'wait',
  retry: 'retry',
  work: 'work',
  tool: 'work',
}

/** The bars of one phase: its own spans where the trace has some, else the phase as a whole. */
function barsOf(phase: RunPhase, spans: readonly RunSpan[], start: number): Bar[] {
  const own = spans.filter((s) => s.phase === phase.phase && s.kind !== 'tool')
  if (own.length > 0) return own.map((s) => bar(kindOf(s, phase), start + s.start_ms, s.ms))
  return phase.start_ms === null
    ? []
    : [
        bar(
          phase.state === 'failed' ? 'failed' : phase.ms === null ? 'work' : 'done',
          start + phase.start_ms,
          phase.ms,
        ),
      ]
}

const bar = (kind: Bar['kind'], from: number, ms: number | null): Bar => ({
  kind,
  from,
  to: ms === null ? null : from + ms,
})

function kindOf(span: RunSpan, phase: RunPhase): Bar['kind'] {
  if (span.kind !== 'work') return KIND[span.kind]
  if (span.ms === null) return 'work'
  return span.ok === false || phase.state === 'failed' ? 'failed' : 'done'
}
