import { ExternalLinkPage } from '#features/auth/index.ts'
import { messages } from '#features/auth/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'

export const generateMetadata = async () => ({
  title: (await serverTranslations(messages))('externalLink'),
  robots: { index: false, follow: false },
})

export default async function Page({ searchParams }: { searchParams: Promise<{ to?: string | string[] }> }) {
  const { to } = await searchParams
  return <ExternalLinkPage to={typeof to === 'string' ? to : ''} />
}
