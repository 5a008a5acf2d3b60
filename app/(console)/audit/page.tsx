import { AuditPage } from '#features/audit/index.ts'
import { AUDIT_FILTERS, auditInput } from '#features/audit/input.ts'
import { messages } from '#features/audit/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('audit.read')
  const given = await searchParams
  const values = Object.fromEntries(AUDIT_FILTERS.map((name) => [name, given[name]]))
  await Promise.all([
    page.prefetchInfinite(page.trpc.audit.list.infiniteQueryOptions(auditInput(values), CURSOR_PAGES)),
    page.prefetch(page.trpc.audit.verification.queryOptions()),
  ])
  return (
    <page.Hydrated>
      <AuditPage />
    </page.Hydrated>
  )
}
