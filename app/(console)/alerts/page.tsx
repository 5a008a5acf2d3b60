import { AlertsPage } from '#features/alerts/index.ts'
import { CLOSED, STANDING } from '#features/alerts/input.ts'
import { messages } from '#features/alerts/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page() {
  const page = await openPage('alert.read')
  await Promise.all([
    page.prefetch(page.trpc.alerts.list.queryOptions(STANDING)),
    page.prefetchInfinite(page.trpc.alerts.list.infiniteQueryOptions(CLOSED, CURSOR_PAGES)),
  ])
  return (
    <page.Hydrated>
      <AlertsPage />
    </page.Hydrated>
  )
}
