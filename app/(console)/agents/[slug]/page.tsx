import { AgentPage } from '#features/agents/index.ts'
import { messages } from '#features/agents/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('agent') })

export default async function Page({ params }: { params: Promise<{ slug: string }> }) {
  const page = await openPage('agent.read')
  const { slug } = await params
  await page.find(page.trpc.agents.get.queryOptions({ slug }))
  return (
    <page.Hydrated>
      <AgentPage slug={slug} />
    </page.Hydrated>
  )
}
