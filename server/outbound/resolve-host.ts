import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { addressList, mayConnect } from './address-rules.ts'
import { checkedLookup, listedBy } from './guarded-fetch.ts'

/**
 * The address that a configured host leads to, for clients that cannot look names up themselves under our rules: the client connects to it and
 * looks up nothing. Throws an OutboundRefused when any of its addresses may not be reached ([outbound#guarded-fetch]).
 */
export function resolveHost(
  host: string,
  { addresses = [], lookup }: { addresses?: readonly string[]; lookup?: LookupFunction } = {},
): Promise<string> {
  const listed = addressList([...addresses, ...listedBy(`http://${host.includes(':') ? `[${host}]` : host}`)])
  const find = checkedLookup(lookup ?? (systemLookup as LookupFunction), (one) => mayConnect(one, listed))
  return new Promise((resolve, reject) =>
    find(host, {}, (error, address) => (error ? reject(error) : resolve(String(address)))),
  )
}
