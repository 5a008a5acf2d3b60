import { JobPage } from '#features/jobs/index.ts'
import { messages } from '#features/jobs/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('job') })

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const page = await openPage('job.read')
  const { id } = await params
  await page.find(page.trpc.jobs.get.queryOptions({ job_id: id }))
  return (
    <page.Hydrated>
      <JobPage id={id} />
    </page.Hydrated>
  )
}
