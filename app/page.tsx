import { redirect } from 'next/navigation'
import { signedIn } from './open-page.tsx'

/** The console begins with what waits for a decision; a guest with the notes of the zone. */
export default async function Home() {
  const { role } = await signedIn()
  redirect(role === 'guest' ? '/notes' : '/inbox')
}
