import { notFound } from 'next/navigation'
import { LeadershipPage } from '#features/leadership/index.ts'
import { messages } from '#features/leadership/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

/** Not among the lists: no skeleton is sent before it is known that a guest sees nothing here. */
export default async function Page() {
  const page = await openPage('leadership.read')
  if (page.caller.role === 'guest') notFound()
  await page.prefetchInfinite(page.trpc.leadership.list.infiniteQueryOptions({}, CURSOR_PAGES))
  return (
    <page.Hydrated>
      <LeadershipPage />
    </page.Hydrated>
  )
}
