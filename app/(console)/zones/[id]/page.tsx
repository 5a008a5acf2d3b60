import { redirect } from 'next/navigation'

/** A zone has its place in the list; an event that names one leads there. */
export default function Page() {
  redirect('/zones')
}
