import { redirect } from 'next/navigation'
import { ZonePage } from '#features/auth/index.ts'
import { messages } from '#features/auth/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { pageTerms } from '#server/trpc/page-context.ts'
import { pageCaller } from '../../open-page.tsx'

export const generateMetadata = async () => ({
  title: (await serverTranslations(messages))('enterZone'),
  robots: { index: false, follow: false },
})

export default async function Page() {
  const { caller, code } = await pageCaller()
  if (caller.role === 'guest' && code === null) redirect('/')
  const terms = code === 'CONSENT_REQUIRED' ? await pageTerms(caller) : null
  return <ZonePage zoneId={null} terms={terms} />
}
