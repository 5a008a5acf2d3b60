/** What stands against a proposal, for component tests. */
import { type ConflictView, conflictView } from '#contracts/proposal-conflict.contract.ts'
import type { MergePart } from '#domain/proposal/merge.rules.ts'
import { aProposal, idOf } from './proposals.ts'

const overlap = (word: string): MergePart => ({
  kind: 'overlap',
  base: `The ${word} as it was.\n`,
  current: `The ${word} as it is.\n`,
  proposed: `The ${word} as proposed.\n`,
})
const text = (side: 'base' | 'current' | 'proposed', parts: readonly MergePart[]) =>
  parts.map((part) => (part.kind === 'merged' ? part.text : part[side])).join('')

const file = (parts: MergePart[]): ConflictView['files'][number] => ({
  path: 'notes/note.md',
  state: 'changed',
  current_hash: 'c'.repeat(64),
  base: text('base', parts),
  current: text('current', parts),
  proposed: text('proposed', parts),
  merge: { clean: false, parts },
})

/** A proposal whose file overlaps in these words; `mark` stands for the content that it is merged with. */
export function overlapping(n: number, words: readonly string[], mark = 'd'): ConflictView {
  const parts = words.flatMap((word): MergePart[] => [overlap(word), { kind: 'merged', text: 'Kept.\n' }])
  return conflictView.parse({ ...noConflict(idOf(n)), freshness: against(mark), files: [file(parts)] })
}

/** One whose two changes do not meet. */
export function merging(n: number): ConflictView {
  const [base, current, proposed] = ['a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n']
  const merge = { clean: true as const, text: 'A\nb\nC\n' }
  return conflictView.parse({
    ...noConflict(idOf(n)),
    freshness: against('e'),
    files: [{ ...file([]), base, current, proposed, merge }],
  })
}

const against = (mark: string) => ({
  state: 'changed' as const,
  mergeable: false,
  current_revision: 'b'.repeat(40),
  current_hash: mark.repeat(64),
})

/** Nothing stands against it. */
export const noConflict = (id: string): ConflictView => ({
  proposal_id: id,
  freshness: aProposal(1).freshness ?? against('a'),
  files: [],
  predicted: null,
})
