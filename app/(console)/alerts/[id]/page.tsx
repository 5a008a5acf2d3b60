import { AlertPage } from '#features/alerts/index.ts'
import { messages } from '#features/alerts/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('alert') })

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const page = await openPage('alert.read')
  const { id } = await params
  await page.find(page.trpc.alerts.get.queryOptions({ alert_id: id }))
  return (
    <page.Hydrated>
      <AlertPage id={id} />
    </page.Hydrated>
  )
}
