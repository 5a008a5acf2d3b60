import type { LeadershipLook } from '#domain/leadership/selection-protocol.ts'
import type { Services } from '#server/services.ts'
import { readObjects } from './leadership-protocol.ts'
import { type Before, knownBefore, writeMirror } from './lease-mirror.ts'

type Parts = Pick<Services, 'db' | 'store' | 'log'>

/** Reads what stands in the store and remembers it; returns both what was known before and what was read. */
export async function refreshMirror(
  services: Parts,
  cid: string,
): Promise<{ before: Before; look: LeadershipLook }> {
  const before = await knownBefore(services.db, cid)
  const look = await readObjects(services, cid)
  await writeMirror(services.db, before, look)
  return { before, look }
}
