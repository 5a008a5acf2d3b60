import { CompareArtifactsPage } from '#features/artifacts/index.ts'
import { comparedArtifacts } from '#features/artifacts/input.ts'
import { messages } from '#features/artifacts/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({
  title: (await serverTranslations(messages))('compare.title'),
})

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('artifact.read')
  const input = comparedArtifacts(await searchParams)
  if (input)
    await Promise.all(
      [input.a, input.b].map((artifact_id) =>
        page.find(page.trpc.artifacts.get.queryOptions({ artifact_id })),
      ),
    )
  return (
    <page.Hydrated>
      <CompareArtifactsPage />
    </page.Hydrated>
  )
}
