import { ZonesPage } from '#features/zones/index.ts'
import { messages } from '#features/zones/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page() {
  const page = await openPage('zone.manage')
  await page.prefetchInfinite(page.trpc.zones.list.infiniteQueryOptions({}, CURSOR_PAGES))
  return (
    <page.Hydrated>
      <ZonesPage />
    </page.Hydrated>
  )
}
