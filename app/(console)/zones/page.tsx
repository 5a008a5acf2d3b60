import { ZonesPage } from '#features/zones/index.ts'
import { messages } from '#features/zones/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { NEXT } from '#lib/pages.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page() {
  const page = await openPage('zone.manage')
  await page.prefetchInfinite(page.trpc.zones.list.infiniteQueryOptions({}, NEXT))
  return (
    <page.Hydrated>
      <ZonesPage />
    </page.Hydrated>
  )
}
