import { notFound } from 'next/navigation'
import { WorkersPage } from '#features/workers/index.ts'
import { messages } from '#features/workers/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

/** Not among the lists: no skeleton is sent before it is known that a guest sees nothing here. */
export default async function Page() {
  const page = await openPage('worker.read')
  if (page.caller.role === 'guest') notFound()
  await page.prefetch(page.trpc.workers.list.queryOptions())
  return (
    <page.Hydrated>
      <WorkersPage />
    </page.Hydrated>
  )
}
