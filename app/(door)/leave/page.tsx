import { LeavePage } from '#features/door/index.ts'
import { messages } from '#features/door/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'

export const generateMetadata = async () => ({
  title: (await serverTranslations(messages))('leave'),
  robots: { index: false, follow: false },
})

export default async function Page({ searchParams }: { searchParams: Promise<{ to?: string | string[] }> }) {
  const { to } = await searchParams
  return <LeavePage to={typeof to === 'string' ? to : ''} />
}
