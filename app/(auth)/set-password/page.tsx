import { redirect } from 'next/navigation'
import { Suspense } from 'react'
import { SetPasswordPage } from '#features/auth/index.ts'
import { messages } from '#features/auth/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { getMe } from '#server/auth/get-me.query.ts'
import { webServices } from '#server/composition/web-services.ts'
import { pageCaller } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('setPassword') })

export default async function Page() {
  const { caller, code } = await pageCaller()
  if (code !== null || (caller.role !== 'owner' && caller.role !== 'operator')) redirect('/sign-in')
  const { has_password } = await getMe(await webServices(), { caller, steppedUp: false, refusal: null })
  return (
    <Suspense>
      <SetPasswordPage hasPassword={has_password} />
    </Suspense>
  )
}
