import { join } from 'node:path'
import { z } from 'zod'
import { isCanonicalId } from '#domain/membridge/identity.rules.ts'
import type { Host } from '../host.ts'
import { type JsonRead, readJsonFile, writeJsonFile } from './json-file.ts'

/**
 * What this node last pushed or pulled of a project: `~/.membridge/state/<cid>.json` [edge#ledger].
 *
 * It answers whether the remote copy is still the one this node knows. It is a memory, not an authority: without it a push warns
 * and a pull compares, and nothing is lost.
 */
const SYNC_STATE = z.object({
  last_synced_sha: z.string().regex(/^[0-9a-f]{64}$/),
  content_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  term: z.int().nonnegative(),
  /** Epoch seconds by this node's clock, for people. */
  at: z.number(),
  epoch: z.int().nonnegative().nullish(),
  /** Who has this term, where this node knows it for certain. */
  holder: z.string().nullish(),
  /** The database file as it was right before this content was read from it (`fileMark`). */
  source: z.string().nullish(),
})

export type SyncState = z.infer<typeof SYNC_STATE>

export function syncStateFile({ home }: Pick<Host, 'home'>, canonicalId: string): string {
  if (!isCanonicalId(canonicalId)) throw new TypeError(`${canonicalId} is no canonical id`)
  return join(home, '.membridge/state', `${canonicalId}.json`)
}

export const readSyncState = (host: Pick<Host, 'home'>, canonicalId: string): Promise<JsonRead<SyncState>> =>
  readJsonFile(syncStateFile(host, canonicalId), SYNC_STATE)

/** Keeps what was synced; never a lower term than this node has seen. Returns where a corrupt file of before was kept, or null. */
export async function writeSyncState(
  host: Pick<Host, 'home'>,
  canonicalId: string,
  state: SyncState,
): Promise<string | null> {
  const file = syncStateFile(host, canonicalId)
  const before = await readSyncState(host, canonicalId)
  const corruptAt = before.state === 'corrupt' ? new Date(state.at * 1000) : null
  const known = before.state === 'read' ? knownTerm(before.value, state) : {}
  return writeJsonFile(file, { ...state, ...known }, { corruptAt })
}

/** What is known of terms. All else in the state is about the file as it was then. */
function knownTerm(before: SyncState, now: SyncState): Pick<SyncState, 'term' | 'epoch' | 'holder'> {
  if (before.term < now.term) return now
  const { term, epoch, holder } = before
  return before.term > now.term
    ? { term, epoch, holder }
    : { term, epoch: now.epoch ?? epoch, holder: now.holder ?? holder }
}
