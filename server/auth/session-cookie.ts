/** The session cookie [auth#sessions]: `__Host-` and Secure under TLS, plain on loopback HTTP. */
export const cookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-garden_session' : 'garden_session'

export const cookieFlags = (publicUrl: string) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/', secure: publicUrl.startsWith('https:') }) as const

/** A `Set-Cookie` line; `maxAge` in seconds, 0 removes the cookie. */
export function sessionCookie(publicUrl: string, token: string, maxAge: number): string {
  const secure = cookieFlags(publicUrl).secure ? '; Secure' : ''
  return `${cookieName(publicUrl)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${secure}`
}

/** The value of a cookie in a `Cookie` header; the first one counts. */
export function readCookie(header: string | null, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}
