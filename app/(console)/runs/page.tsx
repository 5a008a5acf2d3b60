import { RunsPage } from '#features/runs/index.ts'
import { RUN_FILTERS, runsInput } from '#features/runs/input.ts'
import { messages } from '#features/runs/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('run.read')
  const given = await searchParams
  const values = Object.fromEntries(RUN_FILTERS.map((name) => [name, given[name]]))
  await Promise.all([
    page.prefetch(page.trpc.system.counts.queryOptions()),
    page.prefetchInfinite(page.trpc.runs.list.infiniteQueryOptions(runsInput(values), CURSOR_PAGES)),
  ])
  return (
    <page.Hydrated>
      <RunsPage />
    </page.Hydrated>
  )
}
