import { ArtifactsPage } from '#features/artifacts/index.ts'
import { ARTIFACT_FILTERS, artifactsInput } from '#features/artifacts/input.ts'
import { messages } from '#features/artifacts/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('artifact.read')
  const given = await searchParams
  const values = Object.fromEntries(ARTIFACT_FILTERS.map((name) => [name, given[name]]))
  await Promise.all([
    page.prefetch(page.trpc.artifacts.stats.queryOptions()),
    page.prefetchInfinite(
      page.trpc.artifacts.list.infiniteQueryOptions(artifactsInput(values), CURSOR_PAGES),
    ),
  ])
  return (
    <page.Hydrated>
      <ArtifactsPage />
    </page.Hydrated>
  )
}
