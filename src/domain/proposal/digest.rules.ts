import { type ChangeBase, type FileHash, isCommutative } from './conflict.rules.ts'

/**
 * What the digests of a proposal are taken over ([proposals#digests]). These functions return plain JSON
 * values; the server hashes their canonical JSON (RFC 8785) with SHA-256.
 */
export type ReviewedChange = ChangeBase & { path: string; resultHash: FileHash }

/** `content_digest`: the action, the target and the changes as proposed. */
export const contentDigestInput = (proposal: {
  action: string
  target: unknown
  changes: readonly unknown[]
}) => ({
  action: proposal.action,
  target: proposal.target,
  changes: [...proposal.changes],
})

/**
 * `review_digest`: what the owner saw. Every change is bound to the hash it was proposed on; a commutative one to its anchor
 * instead of its result, so that the file may grow until the decision; any other to the hash of the bytes it leads to now.
 */
export const reviewDigestInput = (contentDigest: string, changes: readonly ReviewedChange[]) => ({
  content_digest: contentDigest,
  changes: changes.map((change) =>
    isCommutative(change.diff)
      ? { path: change.path, base_hash: change.baseHash, anchor: change.diff.position ?? 'tags' }
      : { path: change.path, base_hash: change.baseHash, result_hash: change.resultHash },
  ),
})
