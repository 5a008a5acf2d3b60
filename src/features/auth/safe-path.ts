/** Any origin does: what matters is that a path does not leave it. */
const HERE = 'http://console.invalid'

/** A return path inside the console; anything that could lead elsewhere becomes the start page. */
export function safePath(to: string | null | undefined): string {
  if (!to?.startsWith('/') || /^\/[/\\]/.test(to) || /[\p{Cc}\\]/u.test(to)) return '/'
  const { origin, pathname } = new URL(to, HERE)
  if (origin !== HERE || pathname.startsWith('//')) return '/'
  return pathname.startsWith('/sign-in') || pathname.startsWith('/api/') ? '/' : to
}

/** An outside address that a note may lead to; null for every other scheme. */
export function outsideAddress(to: string | null | undefined): URL | null {
  try {
    const url = new URL(to ?? '')
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) && !url.username && !url.password
      ? url
      : null
  } catch {
    return null
  }
}

/** Takes the token out of the fragment and the fragment out of the history, so that it is neither seen nor shared again. */
export function takeToken(): string | null {
  const token = /^#t=([A-Za-z0-9_-]{10,128})$/.exec(window.location.hash)?.[1] ?? null
  if (window.location.hash)
    window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return token
}
