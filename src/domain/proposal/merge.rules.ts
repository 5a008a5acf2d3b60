/**
 * A three-way merge and what a person decides about it ([proposals#conflicts]): what both sides changed in different places is merged, what
 * they changed in the same place is an overlap that somebody decides. Nothing is guessed: one overlap without a decision has no result.
 */
export type MergePart =
  | { kind: 'merged'; text: string }
  | { kind: 'overlap'; base: string; current: string; proposed: string }
export type Overlap = Extract<MergePart, { kind: 'overlap' }>

/** `parts` in order make the whole file; at least one of them is an overlap. */
export type Merge = { clean: true; text: string } | { clean: false; parts: MergePart[] }

/** What takes the place of an overlap; `both` is the current text and then the proposed one. */
export const MERGE_SIDES = ['current', 'proposed', 'both'] as const
export type MergeSide = (typeof MERGE_SIDES)[number]
export type MergeDecision = { take: MergeSide } | { take: 'text'; text: string }

export const overlapsOf = (merge: Merge): Overlap[] =>
  merge.clean ? [] : merge.parts.filter((part) => part.kind === 'overlap')

/** The two as one overlap, where no merge by lines is possible: a file that is deleted on one side, or no text. */
export const wholeOverlap = (texts: Omit<Overlap, 'kind'>): Merge => ({
  clean: false,
  parts: [{ kind: 'overlap', ...texts }],
})

export type Resolution =
  | { ok: true; text: string }
  | { ok: false; problem: 'undecided' | 'surplus'; overlaps: number; decided: number }

/** The text that the decisions lead to, one for each overlap in order; none when a decision is missing, or one belongs to no overlap. */
export function resolveMerge(merge: Merge, decisions: readonly (MergeDecision | null)[]): Resolution {
  const overlaps = overlapsOf(merge).length
  const decided = decisions.filter((decision) => decision !== null).length
  if (decisions.length > overlaps) return { ok: false, problem: 'surplus', overlaps, decided }
  if (decided < overlaps) return { ok: false, problem: 'undecided', overlaps, decided }
  if (merge.clean) return { ok: true, text: merge.text }
  let next = 0
  const texts = merge.parts.map((part) => {
    if (part.kind === 'merged') return part.text
    const decision = decisions[next++]
    return decision ? textOfDecision(part, decision) : ''
  })
  return { ok: true, text: texts.join('') }
}

function textOfDecision({ current, proposed }: Overlap, decision: MergeDecision): string {
  if (decision.take === 'text') return asLines(decision.text)
  if (decision.take === 'both') return withLineEnd(current, proposed) + proposed
  return decision.take === 'current' ? current : proposed
}

/** What another text follows ends its last line, in the way its lines end; as `git merge-file --union` does, also before none. */
function withLineEnd(text: string, following: string): string {
  if (text === '' || text.endsWith('\n')) return text
  return text + (/\r\n/.test(text + following) ? '\r\n' : '\n')
}

/** What a person writes in place of whole lines is whole lines. */
const asLines = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** A file of a conflict: null where one side has no such file, and then the whole of it is one overlap. */
export type MergedFile = { current: string | null; proposed: string | null; merge: Merge }
export type FileResolution = { ok: true; text: string | null } | Exclude<Resolution, { ok: true }>

/** What the file becomes; null when it is to be gone. */
export function resolveFile(
  { current, proposed, merge }: MergedFile,
  decisions: readonly (MergeDecision | null)[],
): FileResolution {
  const resolved = resolveMerge(merge, decisions)
  if (!resolved.ok || (current !== null && proposed !== null)) return resolved
  const [decision] = decisions
  // Without an overlap nothing stands against what was proposed.
  if (!decision || decision.take === 'proposed') return { ok: true, text: proposed }
  if (decision.take === 'current') return { ok: true, text: current }
  return decision.take === 'both' ? { ok: true, text: proposed ?? current } : resolved
}
