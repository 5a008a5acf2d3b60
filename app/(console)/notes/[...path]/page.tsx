import { NotePage } from '#features/notes/index.ts'
import { citedPlace } from '#features/notes/input.ts'
import { messages } from '#features/notes/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('note') })

type Props = { params: Promise<{ path: string[] }>; searchParams: Promise<Record<string, string>> }

export default async function Page({ params, searchParams }: Props) {
  const page = await openPage('note.read')
  const [parts, given] = await Promise.all([params, searchParams])
  const path = parts.path.map(decoded).join('/')
  await page.prefetch(page.trpc.notes.get.queryOptions({ path }))
  return (
    <page.Hydrated>
      <NotePage path={path} cited={citedPlace(given)} revision={given.revision ?? null} />
    </page.Hydrated>
  )
}

/** A part of the address as it was meant; one that cannot be decoded stays as it is and is not found. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
