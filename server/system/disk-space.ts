import { statfs } from 'node:fs/promises'
import { isDiskFull } from '#server/ports/storage-fault.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Finding } from './probe-health.ts'

const FULL_BYTES = 1024 * 1024
const LOW_BYTES = 64 * 1024 * 1024

const DISK_FULL = 'disk_full: There is no space left on the disk.'

/** What the space that is left says of everything stored there, or null while there is enough. */
export async function spaceFinding(folder: string): Promise<Finding | null> {
  const disk = await statfs(folder)
  const left = disk.bavail * disk.bsize
  if (left < FULL_BYTES) return { status: 'unavailable', message: DISK_FULL }
  if (left >= LOW_BYTES) return null
  const message = `disk_low: Only ${Math.floor(left / 1024 / 1024)} MiB are left on the disk.`
  return { status: 'degraded', message }
}

/** The share of the disk that is used, as `df` tells it: of what anybody but the superuser may fill. */
export async function usedShare(folder: string): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(folder)
  const used = blocks - bfree
  return used + bavail > 0 ? used / (used + bavail) : 0
}

/** What a failed probe says of its component. */
export const findingOfError = (error: Error): Finding => ({
  status: 'unavailable',
  message: isDiskFull(error) ? DISK_FULL : redactText(error.message).slice(0, 200),
})
