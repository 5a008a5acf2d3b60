import { EntryPage } from '#features/inbox/index.ts'
import { messages } from '#features/inbox/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('entry') })

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const page = await openPage('inbox.read')
  const { id } = await params
  await page.find(page.trpc.inbox.get.queryOptions({ inbox_id: id }))
  return (
    <page.Hydrated>
      <EntryPage id={id} />
    </page.Hydrated>
  )
}
