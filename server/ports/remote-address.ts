/**
 * The address of a git remote as a person gives it: `https://…`, `http://…`, `ssh://…`, `user@host:path`, `file:///…` or an absolute path.
 * Anything else is none: above all transports that run a command (`ext::…`) and what a command would take for an option.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export type RemoteAddress =
  | { kind: 'http'; url: string; user: string; password: string }
  | { kind: 'ssh'; url: string }
  | { kind: 'directory'; path: string }

/** `user@host:path`, as ssh itself has it. */
const SCP = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9[][\w.:\]-]*:[^\s:-][^\s]*$/
const NAME = /^[A-Za-z0-9_[][^\s]*$/

/** What the text means, or null when it is no address of a remote. */
export function parseRemoteAddress(text: string): RemoteAddress | null {
  if (path.isAbsolute(text)) return { kind: 'directory', path: path.normalize(text) }
  if (SCP.test(text)) return { kind: 'ssh', url: text }
  if (/\s/.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.search || url.hash) return null
  if (url.protocol === 'file:') return url.host ? null : { kind: 'directory', path: fileURLToPath(url) }
  if (url.protocol === 'ssh:') return sshAddress(url)
  return url.protocol === 'http:' || url.protocol === 'https:' ? httpAddress(url) : null
}

function sshAddress(url: URL): RemoteAddress | null {
  const isSafe = !url.password && NAME.test(url.hostname) && !url.username.startsWith('-')
  return isSafe && url.pathname.length > 1 ? { kind: 'ssh', url: url.href } : null
}

function httpAddress(url: URL): RemoteAddress {
  const [user, password] = [decoded(url.username), decoded(url.password)]
  url.username = ''
  url.password = ''
  return { kind: 'http', url: url.href.replace(/\/+$/, ''), user, password }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The address without credentials, for people. */
export const shownAddress = (address: RemoteAddress): string =>
  address.kind === 'directory' ? address.path : address.url

const SHORTEST_TOKEN = 12

/**
 * The values of an address that nobody may see: the password, and the name where it may itself be a token. As they stand in the address
 * and as they are sent.
 */
export function secretsOf(text: string): string[] {
  const address = parseRemoteAddress(text)
  if (address?.kind !== 'http') return []
  const { username, password } = new URL(text)
  const users = address.user.length < SHORTEST_TOKEN ? [] : [username, address.user]
  const sent = authorizationOf(address)?.slice('Basic '.length)
  return [...users, password, address.password, ...(sent ? [sent] : [])].filter(Boolean)
}

/** The header that carries the credentials of the address; null without any. */
export const authorizationOf = ({ user, password }: { user: string; password: string }): string | null =>
  user || password ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` : null
