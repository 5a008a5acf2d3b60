import { notFound } from 'next/navigation'
import { WorkerPage } from '#features/workers/index.ts'
import { isWorkerId } from '#features/workers/input.ts'
import { messages } from '#features/workers/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('worker') })

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const page = await openPage('worker.read')
  const { id } = await params
  if (page.caller.role === 'guest' || !isWorkerId(id)) notFound()
  await page.find(page.trpc.workers.get.queryOptions({ id }))
  return (
    <page.Hydrated>
      <WorkerPage id={id} />
    </page.Hydrated>
  )
}
