import { FarewellPage } from '#features/door/index.ts'
import { messages } from '#features/door/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'

export const generateMetadata = async () => ({
  title: (await serverTranslations(messages))('farewell'),
  robots: { index: false, follow: false },
})

export default async function Page({ searchParams }: { searchParams: Promise<{ why?: string | string[] }> }) {
  const { why } = await searchParams
  return <FarewellPage why={why === 'ZONE_REVOKED' || why === 'ZONE_EXPIRED' ? why : 'left'} />
}
