import { MASK } from './redact.rules.ts'

/** Of a key this short, four characters would be half of it. */
const TOO_SHORT = 8
const SHOWN = 4

/** A stored key as answers show it: the mask and its last four characters, the mask alone for a short one, nothing without one [runtime#control-plane]. */
export function maskedKey(key: string | null): string {
  if (key === null || key === '') return ''
  return key.length <= TOO_SHORT ? MASK : `${MASK}${key.slice(-SHOWN)}`
}
