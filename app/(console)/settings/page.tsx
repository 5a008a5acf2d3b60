import { SettingsPage } from '#features/settings/index.ts'
import { messages } from '#features/settings/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

export default async function Page() {
  const page = await openPage('settings.read')
  await page.prefetch(page.trpc.system.health.queryOptions())
  return (
    <page.Hydrated>
      <SettingsPage />
    </page.Hydrated>
  )
}
