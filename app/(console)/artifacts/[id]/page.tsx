import { ArtifactPage } from '#features/artifacts/index.ts'
import { messages } from '#features/artifacts/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('artifact') })

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const page = await openPage('artifact.read')
  const { id } = await params
  await Promise.all([
    page.find(page.trpc.artifacts.get.queryOptions({ artifact_id: id })),
    page.prefetch(page.trpc.artifacts.sources.queryOptions({ artifact_id: id })),
  ])
  return (
    <page.Hydrated>
      <ArtifactPage id={id} />
    </page.Hydrated>
  )
}
