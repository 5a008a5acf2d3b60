import { redirect } from 'next/navigation'
import { Suspense } from 'react'
import { SignInPage, safePath } from '#features/auth/index.ts'
import { messages } from '#features/auth/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { pageCaller } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('signIn') })

/** Whoever is signed in already goes on to the console; a new link still works for them on the page itself. */
export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const [{ caller, code }, { to, why }] = await Promise.all([pageCaller(), searchParams])
  if (code === null && (caller.role === 'owner' || caller.role === 'operator')) redirect(safePath(to))
  return (
    <Suspense>
      <SignInPage expired={code === 'TOKEN_EXPIRED' || why === 'expired'} />
    </Suspense>
  )
}
