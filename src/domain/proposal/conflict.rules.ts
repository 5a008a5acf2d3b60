/**
 * Base, conflict and order of a proposal's changes ([proposals#conflicts]): decided alike when the owner reviews, when the owner approves
 * and when the Apply Engine commits.
 */
export type AppendPosition = 'after-frontmatter' | 'end' | number

/** A change as proposed ([proposals#changes]). A line position appends after that line, counted from 1; 0 is the top. */
export type Diff =
  | { type: 'append'; position: AppendPosition; text: string }
  | { type: 'replace'; unified: string }
  | { type: 'replace'; text: string }
  | { type: 'create'; text: string }
  | { type: 'delete' }

/** SHA-256 of the file's bytes, or `absent`. */
export type FileHash = string
export const ABSENT = 'absent'

export type FreshnessState = 'clean' | 'changed' | 'missing' | 'exists'
export type Freshness = { state: FreshnessState; mergeable: boolean }
export type ChangeBase = {
  diff: Pick<Diff, 'type'> & { position?: AppendPosition; tags?: boolean }
  baseHash: FileHash
}

/** Commutative changes may be applied over a changed file: appends at the end or after the frontmatter, tags. */
export const isCommutative = (diff: ChangeBase['diff']): boolean =>
  (diff.type === 'append' && (diff.position === 'end' || diff.position === 'after-frontmatter')) ||
  diff.tags === true

/** How one change stands against the file as it is now. */
export function changeFreshness(change: ChangeBase, currentHash: FileHash): Freshness {
  if (change.baseHash === currentHash) return { state: 'clean', mergeable: true }
  if (change.baseHash === ABSENT && !change.diff.tags) return { state: 'exists', mergeable: false }
  if (currentHash === ABSENT) return { state: 'missing', mergeable: false }
  return { state: 'changed', mergeable: isCommutative(change.diff) }
}

const SEVERITY: readonly FreshnessState[] = ['clean', 'changed', 'exists', 'missing']

/** How the whole proposal stands: the worst of its changes; mergeable only when every change is. */
export function freshnessOf(changes: readonly (ChangeBase & { currentHash: FileHash })[]): Freshness {
  const each = changes.map((change) => changeFreshness(change, change.currentHash))
  const state = each.reduce<FreshnessState>(
    (worst, { state: s }) => (SEVERITY.indexOf(s) > SEVERITY.indexOf(worst) ? s : worst),
    'clean',
  )
  return { state, mergeable: each.every((f) => f.mergeable) }
}

export type ApplyFault = 'conflict' | 'target_missing' | 'target_exists'

/** What the Apply Engine may do: apply as reviewed, apply over the new content, or fail ([apply#failure-codes]). */
export function applyDecision(
  freshness: Freshness,
): { apply: true; rebased: boolean } | { apply: false; fault: ApplyFault } {
  if (freshness.state === 'clean') return { apply: true, rebased: false }
  if (freshness.state === 'changed' && freshness.mergeable) return { apply: true, rebased: true }
  const fault: ApplyFault =
    freshness.state === 'missing'
      ? 'target_missing'
      : freshness.state === 'exists'
        ? 'target_exists'
        : 'conflict'
  return { apply: false, fault }
}

/** The key of the queue that a proposal waits in: one repository and path; memory and logic as a whole. */
export const targetKey = (address: string): string => {
  const [space = '', slug = ''] = address.split('/')
  return space === 'memory' || space === 'logic' ? `memory:${space}/${slug}` : `garden:${address}`
}
