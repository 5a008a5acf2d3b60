import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { Freshness } from '#domain/proposal/conflict.rules.ts'
import { type MergedFile, wholeOverlap } from '#domain/proposal/merge.rules.ts'
import type { Standing } from '#domain/proposal/standing.rules.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'
import { type BaseText, baseTextOf } from './base-text.ts'
import { resultOfChange } from './normal-form.ts'
import type { ProposalRow, StoredChange } from './proposal-row.ts'

/** A change with its three texts and their merge. `isOwn`: it applies as it is, and nothing is to be decided. */
export type MergedChange = MergedFile & { change: StoredChange; base: string | null; isOwn: boolean }

/** A file of the garden as a text that changes apply to; null is "no such file". */
export async function noteTextAt(
  garden: GitRepository,
  path: string,
  revision: string,
): Promise<string | null> {
  const file = await garden.read(path, revision)
  return file ? toNoteText(file.text) : null
}

type Against = { standing: Standing; currentText: (path: string) => Promise<string | null> }

/** Every change of the proposal merged with what its file has become, in their order. */
export async function mergeChanges(
  parts: Pick<Services, 'db' | 'garden'>,
  row: Pick<ProposalRow, 'changes' | 'base_revision' | 'relations'>,
  { standing, currentText }: Against,
): Promise<Result<MergedChange[]>> {
  const merged: MergedChange[] = []
  for (const [i, change] of row.changes.entries()) {
    const base = await baseTextOf(parts, row, change)
    const current = await currentText(change.path)
    const one = await mergeChange(parts.garden, { base, current, change, now: standing.changes[i] })
    if (!one.ok) return one
    merged.push(one.value)
  }
  return ok(merged)
}

type Given = {
  change: StoredChange
  base: BaseText
  current: string | null
  now: Freshness | undefined
}

async function mergeChange(
  garden: GitRepository,
  { change, base: { text: base, isOwn: isBase }, current, now }: Given,
): Promise<Result<MergedChange>> {
  const isOwn = now?.state === 'clean' || now?.mergeable === true
  const result = resultOfChange(change, isOwn ? current : base)
  if (!result.ok) return result
  const proposed = result.value
  const texts = { base: base ?? '', current: current ?? '', proposed: proposed ?? '' }
  const merge = isOwn
    ? ({ clean: true, text: texts.proposed } as const)
    : current === null || proposed === null || !isBase
      ? wholeOverlap(texts)
      : await garden.merge(texts)
  return ok({ change, base, current, proposed, merge, isOwn })
}
