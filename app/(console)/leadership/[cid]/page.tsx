import { notFound } from 'next/navigation'
import { ProjectPage } from '#features/leadership/index.ts'
import { messages } from '#features/leadership/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page({ params }: { params: Promise<{ cid: string }> }) {
  const page = await openPage('leadership.read')
  if (page.caller.role === 'guest') notFound()
  const { cid } = await params
  await page.find(page.trpc.leadership.get.queryOptions({ cid }))
  return (
    <page.Hydrated>
      <ProjectPage cid={cid} />
    </page.Hydrated>
  )
}
