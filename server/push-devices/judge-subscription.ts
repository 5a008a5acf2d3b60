import { ECDH } from 'node:crypto'
import { isIP } from 'node:net'
import type { SubscribeRequest } from '#contracts/push.contract.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Env } from '#server/env.ts'
import { addressList, mayConnect } from '#server/outbound/address-rules.ts'

type Origins = Pick<Env, 'PUSH_ORIGINS'>

const fault = (field: string, message: string): Refusal => ({
  code: 'VALIDATION_FAILED',
  message,
  details: [{ field, message }],
})

/** Why a browser's subscription is refused, or null. What its name leads to is looked at when a message is sent. */
export function subscriptionFault(env: Origins, { endpoint, keys }: SubscribeRequest): Refusal | null {
  const no = endpointFault(env, endpoint)
  if (no) return fault('endpoint', `The address of the push service ${no}.`)
  return isPoint(keys.p256dh) ? null : fault('keys.p256dh', 'The key of the browser is not a point of P-256.')
}

function endpointFault({ PUSH_ORIGINS }: Origins, endpoint: string): string | null {
  if (!URL.canParse(endpoint)) return 'is not an address'
  const url = new URL(endpoint)
  if (url.username || url.password) return 'must not hold credentials'
  if (url.hash) return 'must not have a fragment'
  if (PUSH_ORIGINS.includes(url.origin)) return null
  if (url.protocol !== 'https:') return 'must begin with https'
  if (url.port !== '') return 'must use the usual port of https'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isPublic = isIP(host) ? mayConnect(host, addressList([])) : isPublicName(host)
  return isPublic ? null : 'must be public'
}

const isPublicName = (host: string): boolean =>
  host.includes('.') && !/\.(localhost|local|internal|home\.arpa)\.?$/i.test(host)

function isPoint(key: string): boolean {
  try {
    return ECDH.convertKey(key, 'prime256v1', 'base64url', 'hex', 'uncompressed').length > 0
  } catch {
    return false
  }
}
