import { JobsPage } from '#features/jobs/index.ts'
import { JOB_FILTERS, jobsInput } from '#features/jobs/input.ts'
import { messages } from '#features/jobs/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('job.read')
  const given = await searchParams
  const values = Object.fromEntries(JOB_FILTERS.map((name) => [name, given[name]]))
  await Promise.all([
    page.prefetch(page.trpc.jobs.counts.queryOptions()),
    page.prefetch(page.trpc.jobs.rates.queryOptions()),
    page.prefetchInfinite(page.trpc.jobs.list.infiniteQueryOptions(jobsInput(values), CURSOR_PAGES)),
  ])
  return (
    <page.Hydrated>
      <JobsPage />
    </page.Hydrated>
  )
}
