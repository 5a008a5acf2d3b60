'use client'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { JobCounts } from '#contracts/job.contract.ts'
import type { JobState } from '#domain/job/job.machine.ts'
import { type PathState, StatePath } from '#ui/state-path.tsx'
import { LOOK, MAIN_STATES, SIDE_STATES } from '../status.ts'

/** The nine states as a path with how many jobs are in each; a state leads to its list. */
export function JobStates({ counts }: { counts: JobCounts | undefined }) {
  const t = useTranslations('jobs')
  const format = useFormatter()
  const stop = (id: JobState): PathState => {
    const count = counts?.by_status[id]
    const number = count ? format.number(count.count) : undefined
    return {
      id,
      label: t(`state.${id}`),
      tone: LOOK[id].tone,
      href: `/jobs?status=${id}`,
      ...(number === undefined ? {} : { count: count?.exact ? number : `≥ ${number}` }),
    }
  }
  return (
    <div className="pb-4">
      <StatePath label={t('states')} main={MAIN_STATES.map(stop)} side={SIDE_STATES.map(stop)} />
    </div>
  )
}

/** One job's way: where it is and where it has been. */
export function JobWay({ current, passed }: { current: JobState; passed: readonly string[] }) {
  const t = useTranslations('jobs')
  const stop = (id: JobState): PathState => ({ id, label: t(`state.${id}`), tone: LOOK[id].tone })
  const sides = SIDE_STATES.filter((s) => s === current || passed.includes(s))
  return (
    <StatePath
      label={t('way')}
      main={MAIN_STATES.map(stop)}
      side={sides.map(stop)}
      current={current}
      passed={passed}
    />
  )
}
