import { redirect } from 'next/navigation'
import { signedIn } from './open-page.tsx'

/** The start page: the Inbox, or the notes of the zone for a guest. */
export default async function Home() {
  const { role } = await signedIn()
  redirect(role === 'guest' ? '/notes' : '/inbox')
}
