import { redirect } from 'next/navigation'
import { ProposalPage } from '#features/proposals/index.ts'
import { PROPOSAL_FILTERS, proposalsInput } from '#features/proposals/input.ts'
import { messages } from '#features/proposals/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('proposal') })

type Props = { params: Promise<{ id: string }>; searchParams: Promise<Record<string, string>> }

export default async function Page({ params, searchParams }: Props) {
  const page = await openPage('proposal.read')
  if (page.caller.role === 'guest') redirect('/proposals')
  const [{ id }, given] = await Promise.all([params, searchParams])
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
