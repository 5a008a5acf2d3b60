import { may } from '#domain/authority/matrix.ts'
import { SettingsPage } from '#features/settings/index.ts'
import { messages } from '#features/settings/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page() {
  const page = await openPage('settings.read')
  await Promise.all([
    page.prefetch(page.trpc.system.health.queryOptions()),
    page.prefetch(page.trpc.system.healthHistory.queryOptions({ window: '24h' })),
    page.prefetch(page.trpc.sessions.list.queryOptions()),
    page.prefetch(page.trpc.sessions.me.queryOptions()),
    page.prefetch(page.trpc.system.garden.queryOptions()),
    page.prefetch(page.trpc.system.storage.queryOptions()),
    page.prefetch(page.trpc.system.settings.queryOptions()),
    page.prefetch(page.trpc.runtime.config.queryOptions()),
    page.prefetch(page.trpc.approvalRules.list.queryOptions()),
    may(page.caller.role, 'account.manage') && page.prefetch(page.trpc.accounts.list.queryOptions()),
  ])
  return (
    <page.Hydrated>
      <SettingsPage />
    </page.Hydrated>
  )
}
