import { InboxPage } from '#features/inbox/index.ts'
import { INBOX_FILTERS, inboxInput } from '#features/inbox/input.ts'
import { messages } from '#features/inbox/messages.ts'
import { NeedsYou } from '#features/needs/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('inbox.read')
  const given = await searchParams
  const values = Object.fromEntries(INBOX_FILTERS.map((name) => [name, given[name]]))
  await Promise.all([
    page.prefetch(page.trpc.proposals.counts.queryOptions()),
    page.prefetch(page.trpc.inbox.stats.queryOptions()),
    page.prefetch(page.trpc.inbox.days.queryOptions()),
    page.prefetch(page.trpc.system.health.queryOptions()),
    page.prefetch(page.trpc.needs.list.queryOptions()),
    page.prefetchInfinite(page.trpc.inbox.list.infiniteQueryOptions(inboxInput(values), CURSOR_PAGES)),
  ])
  return (
    <page.Hydrated>
      <InboxPage needs={<NeedsYou />} />
    </page.Hydrated>
  )
}
