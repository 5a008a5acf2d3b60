import { ProposalsPage, ZoneProposals } from '#features/proposals/index.ts'
import { PROPOSAL_FILTERS, proposalsInput } from '#features/proposals/input.ts'
import { messages } from '#features/proposals/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('proposal.read')
  if (page.caller.role === 'guest') {
    await page.prefetchInfinite(page.trpc.proposals.zoneList.infiniteQueryOptions({}, CURSOR_PAGES))
    return (
      <page.Hydrated>
        <ZoneProposals />
      </page.Hydrated>
    )
  }
  const given = await searchParams
  const values = Object.fromEntries(PROPOSAL_FILTERS.map((name) => [name, given[name]]))
  await Promise.all([
    page.prefetch(page.trpc.proposals.counts.queryOptions()),
    page.prefetch(page.trpc.proposals.alike.queryOptions()),
    page.prefetchInfinite(
      page.trpc.proposals.list.infiniteQueryOptions(proposalsInput(values), CURSOR_PAGES),
    ),
  ])
  return (
    <page.Hydrated>
      <ProposalsPage />
    </page.Hydrated>
  )
}
