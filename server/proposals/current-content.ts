import type { FreshnessView } from '#contracts/proposal.contract.ts'
import { ABSENT } from '#domain/proposal/conflict.rules.ts'
import { type Standing, standingOf } from '#domain/proposal/standing.rules.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { digestOf } from './digests.ts'
import { changeBase, type StoredChange } from './proposal-row.ts'

/** The garden at one commit: hashes of files, each read once. */
export type CurrentContent = { head: string; hashOf(path: string): Promise<string> }

type Cached = { head: string; oids: Map<string, string> }
const latest = new WeakMap<GitRepository, Cached>()
/** Git's object id identifies the bytes, so their SHA-256 never changes. */
const hashes = new Map<string, string>()
const MAX_HASHES = 50_000

/** The garden at its head, or at `revision`. Cached by commit: while nothing moves, another call costs one read of the branch. */
export async function currentContent(garden: GitRepository, revision?: string): Promise<CurrentContent> {
  const head = revision ?? (await garden.head())
  let known = latest.get(garden)
  if (known?.head !== head) {
    known = { head, oids: new Map((await garden.list(head)).map((entry) => [entry.path, entry.oid])) }
    latest.set(garden, known)
  }
  const { oids } = known
  return {
    head,
    async hashOf(path) {
      const oid = oids.get(path)
      if (!oid) return ABSENT
      const seen = hashes.get(oid)
      if (seen) return seen
      const file = await garden.read(path, head)
      if (!file) return ABSENT
      if (hashes.size >= MAX_HASHES) hashes.clear()
      hashes.set(oid, file.sha256)
      return file.sha256
    },
  }
}

/** How these changes stand against that content. */
export async function standingAgainst(
  content: CurrentContent,
  changes: readonly StoredChange[],
): Promise<Standing> {
  return standingOf(
    await Promise.all(
      changes.map(async (change) => ({
        ...changeBase(change),
        currentHash: await content.hashOf(change.path),
      })),
    ),
  )
}

/** One hash over the present content of all targets; `force` is bound to it. */
export function overHash(standing: Standing, changes: readonly StoredChange[]): string {
  const [only] = standing.changes
  if (standing.changes.length === 1 && only) return only.currentHash
  return digestOf(standing.changes.map((c, i) => [changes[i]?.path ?? '', c.currentHash]))
}

export const freshnessView = (
  head: string,
  standing: Standing,
  changes: readonly StoredChange[],
): FreshnessView => ({
  state: standing.state,
  mergeable: standing.mergeable,
  current_revision: head,
  current_hash: overHash(standing, changes),
})
