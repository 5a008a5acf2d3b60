import { SignedOutPage } from '#features/auth/index.ts'
import { messages } from '#features/auth/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'

export const generateMetadata = async () => ({
  title: (await serverTranslations(messages))('accessEnded'),
  robots: { index: false, follow: false },
})

export default async function Page({ searchParams }: { searchParams: Promise<{ why?: string | string[] }> }) {
  const { why } = await searchParams
  return <SignedOutPage why={why === 'ZONE_REVOKED' || why === 'ZONE_EXPIRED' ? why : 'signedOut'} />
}
