import { RunPage } from '#features/runs/index.ts'
import { messages } from '#features/runs/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('run') })

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const page = await openPage('run.read')
  const { id } = await params
  await Promise.all([
    page.find(page.trpc.runs.get.queryOptions({ run_id: id })),
    page.prefetch(page.trpc.questions.list.queryOptions({ run_id: id })),
  ])
  return (
    <page.Hydrated>
      <RunPage id={id} />
    </page.Hydrated>
  )
}
