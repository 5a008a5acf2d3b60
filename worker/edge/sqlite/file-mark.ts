import { stat } from 'node:fs/promises'

/**
 * Says whether a database may have changed since it was last read, without reading it [edge#unchanged]: number, size and times of the file, of its
 * `-wal` and of its `-journal`. An empty companion counts as none, since every reader leaves one.
 */
const FILES = ['', '-wal', '-journal'] as const
/** Two writes within the resolution of a file's date cannot be told apart, so a file that was just written has no mark. */
const SETTLED_NS = 2_000_000_000n

/** The mark of the file; `null` where it is not there, or was written too lately to have one. */
export async function fileMark(database: string, now = Date.now()): Promise<string | null> {
  const limit = BigInt(now) * 1_000_000n - SETTLED_NS
  const parts: string[] = []
  for (const suffix of FILES) {
    const info = await stat(`${database}${suffix}`, { bigint: true }).catch(() => null)
    if (info === null && suffix === '') return null
    if (info === null || info.size === 0n) continue
    if (info.mtimeNs > limit || info.ctimeNs > limit) return null
    parts.push(`${suffix}:${info.dev}:${info.ino}:${info.size}:${info.mtimeNs}:${info.ctimeNs}`)
  }
  return parts.join(' ')
}
