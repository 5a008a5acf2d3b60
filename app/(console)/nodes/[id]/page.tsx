import { notFound } from 'next/navigation'
import { NodePage } from '#features/nodes/index.ts'
import { messages } from '#features/nodes/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('node') })

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const page = await openPage('node.read')
  if (page.caller.role === 'guest') notFound()
  const id = decoded((await params).id)
  if (id === null) notFound()
  await page.find(page.trpc.nodes.get.queryOptions({ node_id: id }))
  return (
    <page.Hydrated>
      <NodePage id={id} />
    </page.Hydrated>
  )
}

/** Null for what no link of ours can be. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
