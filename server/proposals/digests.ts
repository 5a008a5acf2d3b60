import canonicalize from 'canonicalize'
import { contentDigestInput, reviewDigestInput } from '#domain/proposal/digest.rules.ts'
import type { Standing } from '#domain/proposal/standing.rules.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { changeBase, type ProposalRow, type StoredChange } from './proposal-row.ts'

/** SHA-256 of the canonical JSON (RFC 8785) of a plain value. */
export const digestOf = (value: unknown): string => sha256Hex(canonicalize(value) ?? 'null')

/**
 * `content_digest` ([proposals#digests]). A comment's own file carries the id of its proposal; `pathInDigest` replaces
 * it, so that the same comment twice is the same content. Tags of an artifact carry id and time too, and count by themselves.
 */
export function contentDigest(
  action: string,
  target: { type: string; path: string },
  changes: readonly StoredChange[],
  pathInDigest: (path: string) => string = (path) => path,
): string {
  const content = changes.map((change) => ({
    path: pathInDigest(change.path),
    base_hash: change.base_hash,
    diff: diffInDigest(change),
  }))
  return digestOf(JSON.parse(JSON.stringify(contentDigestInput({ action, target, changes: content }))))
}

function diffInDigest({ type, position, text, unified, tags }: StoredChange) {
  if (tags?.stamp) return { type, add: tags.add, remove: tags.remove }
  return type === 'append' || type === 'create' ? { type, position, text } : { type, unified }
}

/**
 * `review_digest` ([proposals#digests]): what the owner saw. A clean change is bound to the bytes it leads to; one whose target has changed
 * is bound to that other content too, so a review made against one content does not count for another.
 */
export function reviewDigest(
  row: Pick<ProposalRow, 'content_digest' | 'changes'>,
  standing: Standing,
): string {
  const changes = row.changes.map((change, i) => {
    const now = standing.changes[i]
    const seen =
      now && now.state !== 'clean' ? `${change.result_hash} over ${now.currentHash}` : change.result_hash
    return { ...changeBase(change), path: change.path, resultHash: seen }
  })
  return digestOf(reviewDigestInput(row.content_digest, changes))
}
