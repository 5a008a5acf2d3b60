import { ZonePage } from '#features/zones/index.ts'
import { readingsInput } from '#features/zones/input.ts'
import { messages } from '#features/zones/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

type Props = { params: Promise<{ id: string }>; searchParams: Promise<Record<string, string>> }

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('zone') })

export default async function Page({ params, searchParams }: Props) {
  const page = await openPage('zone.manage')
  const [{ id }, given] = await Promise.all([params, searchParams])
  await page.find(page.trpc.zones.get.queryOptions({ zone_id: id }))
  await Promise.all([
    page.prefetch(page.trpc.zones.readers.queryOptions({ zone_id: id })),
    page.prefetchInfinite(
      page.trpc.zones.readings.infiniteQueryOptions(readingsInput(id, given), CURSOR_PAGES),
    ),
  ])
  return (
    <page.Hydrated>
      <ZonePage id={id} />
    </page.Hydrated>
  )
}
