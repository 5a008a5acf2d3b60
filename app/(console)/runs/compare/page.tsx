import { CompareRunsPage } from '#features/runs/index.ts'
import { compareInput } from '#features/runs/input.ts'
import { messages } from '#features/runs/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({
  title: (await serverTranslations(messages))('compare.title'),
})

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('run.read')
  const input = compareInput(await searchParams)
  if (input) await page.find(page.trpc.runs.compare.queryOptions(input))
  return (
    <page.Hydrated>
      <CompareRunsPage />
    </page.Hydrated>
  )
}
