/**
 * The code of a zone ([zones#entry]): `ZONE-XXXX-XXXX`, eight digits of Crockford's base32, 40 bits. What a
 * person types is read generously: case, spaces and hyphens do not matter, O is 0, I and L are 1, `ZONE` may be left out.
 */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
export const CODE_BYTES = 5

/** The code for five bytes from a cryptographic source. */
export function zoneCode(bytes: Uint8Array): string {
  if (bytes.length !== CODE_BYTES) throw new Error('a zone code is made of five bytes')
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  let digits = ''
  for (let place = 7n; place >= 0n; place--) digits += DIGITS[Number((bits >> (place * 5n)) & 31n)]
  return `ZONE-${digits.slice(0, 4)}-${digits.slice(4)}`
}

/** The code that was meant, in its one written form; null when it cannot be one. */
export function readZoneCode(typed: string): string | null {
  const plain = typed.toUpperCase().replaceAll(/[\s\-–—_]/g, '')
  const digits = plain
    .replace(/^Z[O0]NE(?=.{8}$)/, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
  if (digits.length !== 8 || [...digits].some((digit) => !DIGITS.includes(digit))) return null
  return `ZONE-${digits.slice(0, 4)}-${digits.slice(4)}`
}

/** How long a zone may be open, in minutes. */
export const MIN_ZONE_MINUTES = 5
export const MAX_ZONE_MINUTES = 10_080
export const DEFAULT_ZONE_MINUTES = 1_440
