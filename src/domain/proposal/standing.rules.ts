import {
  type ChangeBase,
  changeFreshness,
  type FileHash,
  type Freshness,
  freshnessOf,
} from './conflict.rules.ts'

/** How a proposal and each of its changes stand against the files as they are now ([proposals#conflicts]). */
export type Standing = Freshness & { changes: (Freshness & { currentHash: FileHash })[] }

export function standingOf(changes: readonly (ChangeBase & { currentHash: FileHash })[]): Standing {
  const each = changes.map((change) => ({
    ...changeFreshness(change, change.currentHash),
    currentHash: change.currentHash,
  }))
  return { ...freshnessOf(changes), changes: each }
}

/** True when approving would be refused: something changed and cannot be merged. */
export const isInConflict = (freshness: Freshness): boolean =>
  freshness.state !== 'clean' && !freshness.mergeable
