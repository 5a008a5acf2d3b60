import { createHmac, timingSafeEqual } from 'node:crypto'

/** A context's address is valid for fifteen minutes, longer than the call it serves. */
export const ADDRESS_SECONDS = 900

const mac = (key: string, sha256: string, end: number): string =>
  createHmac('sha256', key).update(`context.${sha256}.${end}`).digest('base64url')

/** The path below the gateway's `/api/v1` under which the snapshot is read without any other right. */
export function signContextPath(key: string, sha256: string, now: Date): string {
  const end = Math.floor(now.getTime() / 1000) + ADDRESS_SECONDS
  return `/contexts/${sha256}.json?expires=${end}&signature=${mac(key, sha256, end)}`
}

/** True while the address is this product's own and its time has not passed. */
export function isContextPathGood(
  key: string,
  { sha256, expires, signature }: { sha256: string; expires: number; signature: string },
  now: Date,
): boolean {
  const [given, expected] = [Buffer.from(signature), Buffer.from(mac(key, sha256, expires))]
  const genuine = given.byteLength === expected.byteLength && timingSafeEqual(given, expected)
  return genuine && expires * 1000 > now.getTime()
}
