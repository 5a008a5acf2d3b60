import { forgetDrafts } from '#lib/use-draft.ts'

/** Ends the session on the server, then leaves for the sign-in page; without an answer it leaves all the same. */
export function signOut(): void {
  forgetDrafts()
  const leave = () => window.location.assign('/sign-in')
  fetch('/api/v1/auth/logout', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-garden': '1' },
    body: '{}',
    credentials: 'same-origin',
  }).then(leave, leave)
}
