'use client'
import { useTranslations } from 'use-intl/react'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import type { Filters } from '#lib/url-state.ts'
import { shortId } from '#ui/id.tsx'
import { LinkFilters } from '#ui/link-filters.tsx'

/** The agent, run and phase that the list is narrowed to by the address. */
export function JobLinkFilters({ filters }: { filters: Filters }) {
  const t = useTranslations('jobs')
  const labels = { agent: t('agent'), run: t('run'), phase: t('failurePhase') }
  const show = (key: keyof typeof labels, value: string) => {
    const state = jobMachine.states.find((one: JobState) => one === value)
    return key === 'phase' && state ? t(`state.${state}`) : shortId(value)
  }
  return <LinkFilters filters={filters} labels={labels} show={show} />
}
