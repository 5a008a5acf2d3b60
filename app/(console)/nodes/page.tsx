import { notFound } from 'next/navigation'
import { NodesPage } from '#features/nodes/index.ts'
import { NODE_FILTERS, nodesInput } from '#features/nodes/input.ts'
import { messages } from '#features/nodes/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

/** Not among the lists: no skeleton is sent before it is known that a guest sees nothing here. */
export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('node.read')
  if (page.caller.role === 'guest') notFound()
  const given = await searchParams
  const values = Object.fromEntries(NODE_FILTERS.map((name) => [name, given[name]]))
  await Promise.all([
    page.prefetch(page.trpc.nodes.summary.queryOptions()),
    page.prefetchInfinite(page.trpc.nodes.list.infiniteQueryOptions(nodesInput(values), CURSOR_PAGES)),
  ])
  return (
    <page.Hydrated>
      <NodesPage />
    </page.Hydrated>
  )
}
