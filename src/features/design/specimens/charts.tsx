import { useTranslations } from 'use-intl/react'
import { JOB_STYLES, MAIN_STATES, SIDE_STATES } from '#features/jobs/index.ts'
import { DurationBar } from '#ui/duration-bar.tsx'
import { ColumnStrip, LineChart } from '#ui/lazy.tsx'
import { PhaseTimeline } from '#ui/phase-timeline.tsx'
import { ProgressBar } from '#ui/progress-bar.tsx'
import { Sparkline } from '#ui/sparkline.tsx'
import { StateStepper, type StepperState } from '#ui/state-stepper.tsx'
import { TableBehind } from '#ui/table-behind.tsx'
import { TONE_FILL, type Tone } from '#ui/tone.ts'
import { UptimeBars } from '#ui/uptime-bars.tsx'
import type { Specimen } from '../specimen.ts'

const NOW = Date.now()
const SECOND = 1_000
const at = (seconds: number) => NOW + (seconds - 30) * SECOND

type Phases = Parameters<typeof PhaseTimeline>[0]['phases']
const PHASES: Phases = [
  {
    id: 'plan',
    label: 'Plan',
    bars: [{ kind: 'done', from: at(0), to: at(4) }],
    status: { tone: 'done', word: 'Done' },
  },
  {
    id: 'wait',
    label: 'Wait for a job',
    bars: [
      { kind: 'wait', from: at(4), to: at(12) },
      { kind: 'retry', from: at(12), to: at(15) },
    ],
    status: null,
  },
  {
    id: 'check',
    label: 'Check sources',
    bars: [{ kind: 'failed', from: at(15), to: at(20) }],
    status: { tone: 'failed', word: 'Two sources were not found' },
  },
  { id: 'write', label: 'Write', bars: [{ kind: 'work', from: at(20), to: null }], status: null },
  { id: 'propose', label: 'Propose', bars: [], status: null },
]

function Path({ current, counted = false }: { current?: string; counted?: boolean }) {
  const t = useTranslations('jobs')
  const stop = (id: (typeof MAIN_STATES)[number] | (typeof SIDE_STATES)[number]): StepperState => ({
    id,
    label: t(`state.${id}`),
    tone: JOB_STYLES[id].tone,
    ...(counted ? { count: id === 'DEAD' ? '112' : '0', href: '/design' } : {}),
  })
  return (
    <StateStepper
      label="States of a job"
      main={MAIN_STATES.map(stop)}
      side={SIDE_STATES.map(stop)}
      passed={current ? MAIN_STATES.slice(0, 3) : []}
      {...(current ? { current } : {})}
    />
  )
}

const MINUTES = Array.from({ length: 60 }, (_, n) => n)
const TIMES = MINUTES.map((n) => NOW - (60 - n) * 60 * SECOND)
const LINES = [
  { label: 'Completed', values: MINUTES.map((n) => (n > 20 && n < 30 ? null : 4 + (n % 7))) },
  { label: 'Failed', values: MINUTES.map((n) => (n > 20 && n < 30 ? null : n % 3)) },
]

export const charts: Specimen = {
  name: 'Time axis, state path, progress, lines',
  of: [
    ...['column-strip.tsx', 'part-look.tsx', 'uptime-bars.tsx', 'duration-bar.tsx', 'table-behind.tsx'],
    ...['sparkline.tsx', 'line-chart.tsx', 'phase-timeline.tsx', 'state-stepper.tsx', 'progress-bar.tsx'],
  ],
  states: [
    {
      name: 'phases of a run',
      Show: () => <PhaseTimeline label="Phases" phases={PHASES} resumes={[at(12)]} />,
    },
    { name: 'state path with counts', Show: () => <Path counted /> },
    { name: 'state path of one job', Show: () => <Path current="NOTEBOOKLM_CALL" /> },
    {
      name: 'lines over time, with a gap',
      Show: () => (
        <LineChart
          title="Throughput"
          summary="Completed 340, failed 50"
          times={TIMES}
          lines={LINES}
          formatValue={String}
          formatTime={(ms) => new Date(ms).toISOString().slice(11, 16)}
        />
      ),
    },
    {
      name: 'counts in the space of a word',
      Show: () => (
        <Sparkline
          values={MINUTES.slice(0, 24).map((n) => (n % 5) * (n % 3))}
          summary="44 failures, at most 8 in an hour"
        />
      ),
    },
    {
      name: 'columns that lead to a day',
      Show: () => (
        <ColumnStrip
          title="Days"
          summary="What arrived and what was decided"
          parts={[
            { id: 'arrived', label: 'Received', look: 'outline' },
            { id: 'approved', label: 'Approved', look: 'solid' },
            { id: 'rejected', label: 'Rejected', look: 'hatched' },
            { id: 'expired', label: 'Expired', look: 'dotted' },
          ]}
          columns={MINUTES.slice(0, 30).map((n) => ({
            id: String(n),
            label: `Day ${n}: ${n % 7} received`,
            href: `/design?day=${n}`,
            shown: n === 20,
            bars: [
              [{ part: 'arrived', value: n % 7 }],
              [
                { part: 'approved', value: n % 5 },
                { part: 'rejected', value: n % 3 },
                { part: 'expired', value: n % 2 },
              ],
            ],
          }))}
          ends={['1 Mar', '30 Mar']}
        />
      ),
    },
    {
      name: 'states over time',
      Show: () => (
        <UptimeBars
          summary="48 intervals, 3 down"
          buckets={MINUTES.slice(0, 48).map((n) =>
            n < 8 ? 'empty' : n % 19 === 0 ? 'hatched' : n % 13 === 0 ? 'crossed' : 'solid',
          )}
          tipOf={(n) => `Interval ${n}`}
        />
      ),
    },
    {
      name: 'durations of a column',
      Show: () => (
        <div className="grid max-w-24 gap-2 text-right">
          <DurationBar from={0} to={90_000} longest={90_000} />
          <DurationBar from={0} to={30_000} longest={90_000} />
          <DurationBar from={NOW - 20_000} longest={90_000} />
        </div>
      ),
    },
    {
      name: 'the table behind a picture',
      Show: () => (
        <TableBehind>
          <p>Numbers</p>
        </TableBehind>
      ),
    },
    {
      name: 'progress in every tone',
      Show: () => (
        <div className="grid max-w-sm gap-3">
          {(Object.keys(TONE_FILL) as Tone[]).map((tone, i) => (
            <ProgressBar key={tone} label={tone} value={(i + 1) * 16} tone={tone} />
          ))}
        </div>
      ),
    },
  ],
}
