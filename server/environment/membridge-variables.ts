/** The Membridge Control Plane: where it listens, how it is reached, and its keys. */
import { isIPv6 } from 'node:net'
import { z } from 'zod'
import { flag, isLoopbackHost, key, port, webUrl } from './variables.ts'

export const membridgeVariables = {
  MEMBRIDGE_PORT: port(8000),
  MEMBRIDGE_HOST: z.string().default('127.0.0.1'),
  /** How nodes and the NotebookLM Backend reach the control plane. */
  MEMBRIDGE_URL: webUrl.optional(),
  /** Below which address the NotebookLM Backend reports; the launcher gives every process the same. */
  NLM_CALLBACK_URL: webUrl.optional(),
  /** Turns the check of the admin key off; for development alone. */
  MEMBRIDGE_DEV: flag,
  MEMBRIDGE_ADMIN_KEY: key,
  MEMBRIDGE_AGENT_KEY: key,
  /** What the NotebookLM Backend shows when it calls back, and what it signs with. */
  MEMBRIDGE_CALLBACK_TOKEN: key,
  MEMBRIDGE_CALLBACK_SIGNING_KEY: key,
}

type Membridge = {
  NODE_ENV: string
  MEMBRIDGE_PORT: number
  MEMBRIDGE_HOST: string
  MEMBRIDGE_URL?: string | undefined
  MEMBRIDGE_DEV: boolean
  ALLOW_INSECURE_LAN: boolean
  TRUSTED_PROXIES: readonly string[]
}

/** What is wrong between these variables, by variable. */
export function membridgeFaults(env: Membridge): [variable: string, message: string][] {
  const faults: [string, string][] = []
  const open = !isLoopbackHost(env.MEMBRIDGE_HOST)
  if (open && !env.ALLOW_INSECURE_LAN && env.TRUSTED_PROXIES.length === 0) {
    const message =
      'opens the control plane to the network: name the proxy that ends TLS in TRUSTED_PROXIES, or set ALLOW_INSECURE_LAN=1'
    faults.push(['MEMBRIDGE_HOST', message])
  }
  if (env.MEMBRIDGE_DEV && env.NODE_ENV === 'production')
    faults.push(['MEMBRIDGE_DEV', 'turns the keys of the control plane off and is refused in production'])
  return faults
}

/** The address that was given, or the one it listens on: a wildcard takes in loopback, another address does not. */
export function membridgeUrl(
  env: Pick<Membridge, 'MEMBRIDGE_URL' | 'MEMBRIDGE_HOST' | 'MEMBRIDGE_PORT'>,
): string {
  const { MEMBRIDGE_HOST: host, MEMBRIDGE_PORT: port } = env
  if (env.MEMBRIDGE_URL) return env.MEMBRIDGE_URL
  if (['localhost', '0.0.0.0', '::'].includes(host)) return `http://127.0.0.1:${port}`
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}
