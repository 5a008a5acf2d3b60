import { notFound } from 'next/navigation'
import { messages } from '#features/shell/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { signedIn } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('notFound') })

/** Every address that no other page has: 404 inside the frame. Whoever is not signed in is asked to, and learns nothing of what there is. */
export default async function Page() {
  await signedIn()
  notFound()
}
