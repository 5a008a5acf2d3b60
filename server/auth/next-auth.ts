/**
 * next-auth for the console's sign-in: two credential providers (`password`, `link`), and tokens that carry a session id and
 * no rights. Name, lifetime and flags of the cookie are the console's own [auth#sessions]; the ledger decides with every request
 * whether the session is still live.
 */
import type { NextAuthOptions, User } from 'next-auth'
import CredentialsProvider from 'next-auth/providers/credentials'
import { credentials, linkToken } from '#contracts/auth.contract.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { signOut } from './end-session.ts'
import type { OpenedSession } from './open-session.ts'
import { clientAddress } from './request-facts.ts'
import { cookieFlags, cookieName } from './session-cookie.ts'
import { readClaims, signSession } from './session-token.ts'
import { type ClientInfo, signInWithLink, signInWithPassword } from './sign-in.ts'

const DAY = 24 * 60 * 60

type Provide = (given: Record<string, unknown>, client: ClientInfo) => Promise<Result<OpenedSession>>
type SignedIn = User & { session: OpenedSession }

const UNREADABLE = { code: 'BAD_REQUEST', message: 'The form is incomplete.' } as const

/** An unread default export: the package is CommonJS, and bundlers and Node hand it over differently. */
const Credentials = ((CredentialsProvider as unknown as { default?: typeof CredentialsProvider }).default ??
  CredentialsProvider) as typeof CredentialsProvider

export function nextAuthOptions(services: Services): NextAuthOptions {
  const { env } = services
  const flags = cookieFlags(env.PUBLIC_URL)
  const prefix = flags.secure ? '__Host-' : ''
  return {
    secret: env.BLOOM_SESSION_KEY,
    pages: { signIn: '/sign-in', signOut: '/sign-in', error: '/sign-in' },
    providers: [
      provider(services, 'password', async (given, client) => {
        const form = credentials.safeParse({ name: given.name, password: given.password })
        return form.success ? signInWithPassword(services, form.data, client) : refuse(UNREADABLE)
      }),
      provider(services, 'link', async (given, client) => {
        const token = linkToken.safeParse(given.token)
        return token.success ? signInWithLink(services, token.data, client) : refuse(UNREADABLE)
      }),
    ],
    session: { strategy: 'jwt', maxAge: DAY, updateAge: DAY },
    useSecureCookies: flags.secure,
    cookies: {
      sessionToken: { name: cookieName(env.PUBLIC_URL), options: flags },
      csrfToken: { name: `${prefix}garden_csrf`, options: flags },
      callbackUrl: { name: `${prefix}garden_back`, options: flags },
    },
    jwt: {
      maxAge: DAY,
      encode: async ({ token }) => signSession(env.BLOOM_SESSION_KEY, 'cookie', claimsOf(token)),
      decode: async ({ token }) => {
        const claims = token ? await readClaims(env.BLOOM_SESSION_KEY, 'cookie', token) : null
        return claims && { ...claims, expiresAt: claims.expiresAt.toISOString() }
      },
    },
    callbacks: {
      // Its own reading fails on what is no address; the console's pages decide where to go.
      redirect: ({ baseUrl }) => baseUrl,
      jwt: ({ token, user }) => {
        const session = (user as SignedIn | undefined)?.session
        if (!session) return token
        const { sid, identity, role, expiresAt } = session
        return { sid, sub: identity, role, expiresAt: expiresAt.toISOString() }
      },
      session: ({ token }) => ({
        user: { name: token.sub ?? null, role: token.role },
        expires: String(token.expiresAt),
      }),
    },
    events: {
      signOut: async ({ token }) => {
        if (typeof token?.sid !== 'string') return
        await signOut(services, {
          role: token.role as 'owner' | 'operator',
          identity: String(token.sub),
          via: 'console',
          sessionId: token.sid,
        })
      },
    },
    logger: {
      error: (code) => services.log.warn({ code }, 'sign-in'),
      warn: () => {},
      debug: () => {},
    },
  }
}

const claimsOf = (token: Record<string, unknown> | undefined) => ({
  sid: String(token?.sid),
  sub: String(token?.sub),
  role: String(token?.role),
  expiresAt: new Date(String(token?.expiresAt)),
})

/** A refusal reaches the form as `CODE` or `CODE:seconds` in the address that next-auth answers with. */
function provider(services: Services, id: string, provide: Provide) {
  return Credentials({
    id,
    name: id,
    credentials: {},
    authorize: async (given, request) => {
      const headers = new Headers(request.headers as Record<string, string>)
      const address = clientAddress(headers, services.env.TRUSTED_PROXIES)
      const opened = await provide((given ?? {}) as Record<string, unknown>, { address, via: 'console' })
      if (!opened.ok) {
        const { code, retryAfter } = opened.refusal
        throw new Error(retryAfter === undefined ? code : `${code}:${Math.ceil(retryAfter)}`)
      }
      return { id: opened.value.identity, session: opened.value } as SignedIn
    },
  })
}
