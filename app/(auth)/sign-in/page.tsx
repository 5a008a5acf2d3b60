import { redirect } from 'next/navigation'
import { Suspense } from 'react'
import { SignInPage } from '#features/auth/index.ts'
import { messages } from '#features/auth/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { pageCaller } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('signIn') })

/** Whoever is signed in already goes on to the console; a new link still works for them on the page itself. */
export default async function Page() {
  const { caller, code } = await pageCaller()
  if (code === null && (caller.role === 'owner' || caller.role === 'operator')) redirect('/')
  return (
    <Suspense>
      <SignInPage />
    </Suspense>
  )
}
