'use client'
import { useMemo } from 'react'
import type { ConflictFile, ConflictView, RebaseInput } from '#contracts/proposal-conflict.contract.ts'
import { type MergeDecision, type Overlap, overlapsOf, resolveFile } from '#domain/proposal/merge.rules.ts'
import { useDraft } from '#lib/use-draft.ts'

/** An overlap of a file with what is known of it; `n` counts from 1 over all files. */
export type OpenOverlap = { key: string; n: number; path: string; overlap: Overlap }
export type MergeDecisions = ReturnType<typeof useMergeDecisions>

/**
 * What was decided about the overlaps of a conflict. A decision belongs to the three texts that it was made about: when a file changes
 * meanwhile, it stays with an overlap that is still the same, and is gone with one that is not. All are kept in this tab until the rebased
 * proposal is there, so closing the view or going to another proposal loses nothing.
 */
export function useMergeDecisions({ proposal_id, files }: Pick<ConflictView, 'proposal_id' | 'files'>) {
  const draft = useDraft(`resolve:${proposal_id}`, { made: '[]' }, `/proposals/${proposal_id}`)
  const made = useMemo(() => parsed(draft.values.made), [draft.values.made])
  const overlaps = useMemo(() => openOverlaps(files), [files])
  const of = (path: string) => overlaps.filter((one) => one.path === path)
  const decisionsOf = (path: string) => of(path).map(({ key }) => made.get(key) ?? null)
  return {
    overlaps,
    of,
    decisionOf: ({ key }: OpenOverlap) => made.get(key) ?? null,
    decided: overlaps.filter(({ key }) => made.has(key)).length,
    decide: ({ key }: OpenOverlap, decision: MergeDecision) =>
      draft.set('made', JSON.stringify([...new Map(made).set(key, decision)])),
    forget: draft.clear,
    /** What the file becomes; undecided while an overlap of it is open. */
    resultOf: (file: ConflictFile) => resolveFile(file, decisionsOf(file.path)),
    /** For the command; called when everything is decided. */
    chosen: (): RebaseInput['files'] =>
      files.map(({ path }) => ({ path, decisions: decisionsOf(path).filter((one) => one !== null) })),
  }
}

function parsed(made: string): ReadonlyMap<string, MergeDecision> {
  try {
    return new Map(JSON.parse(made))
  } catch {
    return new Map()
  }
}

function openOverlaps(files: ConflictView['files']): OpenOverlap[] {
  const all = files.flatMap(({ path, merge }) => overlapsOf(merge).map((overlap) => ({ path, overlap })))
  const seen = new Map<string, number>()
  return all.map(({ path, overlap }, i) => {
    const texts = JSON.stringify([path, overlap.base, overlap.current, overlap.proposed])
    const nth = seen.get(texts) ?? 0
    seen.set(texts, nth + 1)
    return { key: `${nth}:${texts}`, n: i + 1, path, overlap }
  })
}
