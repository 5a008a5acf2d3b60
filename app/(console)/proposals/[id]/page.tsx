import { ProposalPage, ZoneProposals } from '#features/proposals/index.ts'
import { PROPOSAL_FILTERS, proposalsInput } from '#features/proposals/input.ts'
import { messages } from '#features/proposals/messages.ts'
import { CURSOR_PAGES, pagesUntil } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('proposal') })

type Props = { params: Promise<{ id: string }>; searchParams: Promise<Record<string, string>> }

export default async function Page({ params, searchParams }: Props) {
  const page = await openPage('proposal.read')
  const [{ id }, given] = await Promise.all([params, searchParams])
  if (page.caller.role === 'guest') return guestPage(page, id)
  const values = Object.fromEntries(PROPOSAL_FILTERS.map((name) => [name, given[name]]))
  await Promise.all([
    page.prefetch(page.trpc.proposals.counts.queryOptions()),
    page.prefetch(page.trpc.proposals.alike.queryOptions()),
    page.find(page.trpc.proposals.get.queryOptions({ proposal_id: id })),
    page.prefetchInfinite(
      page.trpc.proposals.list.infiniteQueryOptions(proposalsInput(values), CURSOR_PAGES),
    ),
  ])
  return (
    <page.Hydrated>
      <ProposalPage />
    </page.Hydrated>
  )
}

/** The list of the zone down to this proposal, which is open in it. */
async function guestPage(page: Awaited<ReturnType<typeof openPage>>, id: string) {
  const { zoneGet, zoneList } = page.trpc.proposals
  await page.find(zoneGet.queryOptions({ proposal_id: id }))
  await page.prefetchInfinite({
    ...zoneList.infiniteQueryOptions({}, CURSOR_PAGES),
    ...pagesUntil((one: { proposal_id: string }) => one.proposal_id === id),
  })
  return (
    <page.Hydrated>
      <ZoneProposals />
    </page.Hydrated>
  )
}
