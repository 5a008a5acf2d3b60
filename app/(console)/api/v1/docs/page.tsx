import { ApiReference } from '#features/api/index.ts'
import { messages } from '#features/api/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { apiEntries, apiOperation } from '#server/http/api-reference.ts'
import { openPage } from '../../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

type Props = { searchParams: Promise<{ operation?: string | string[] }> }

/** The API reference: everything on the left, one operation on the right. */
export default async function Page({ searchParams }: Props) {
  const [page, { operation }] = await Promise.all([openPage('settings.read'), searchParams])
  const chosen = [operation].flat()[0]
  return (
    <page.Hydrated>
      <ApiReference
        entries={apiEntries()}
        open={chosen ?? null}
        operation={chosen ? apiOperation(chosen, process.env.PUBLIC_URL ?? '') : null}
      />
    </page.Hydrated>
  )
}
