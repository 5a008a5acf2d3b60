import { AgentsPage } from '#features/agents/index.ts'
import { messages } from '#features/agents/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page() {
  const page = await openPage('agent.read')
  await page.prefetch(page.trpc.agents.list.queryOptions({}))
  return (
    <page.Hydrated>
      <AgentsPage />
    </page.Hydrated>
  )
}
