import type { ChangeView } from '#contracts/proposal.contract.ts'
import { isOpen } from '#domain/proposal/open.rules.ts'
import type { Standing } from '#domain/proposal/standing.rules.ts'
import { diffStats, unifiedDiff } from '#server/garden/apply-diff.ts'
import { textRenderer } from '#server/notes/render-text.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'
import { baseTextOf } from './base-text.ts'
import type { CurrentContent } from './current-content.ts'
import { noteTextAt } from './merge-changes.ts'
import { resultOfChange } from './normal-form.ts'
import type { ProposalRow, StoredChange } from './proposal-row.ts'

type Parts = Pick<Services, 'db' | 'garden'>
type Texts = Pick<ChangeView, 'base_text' | 'current_text' | 'proposed_text' | 'unified'>

/** Every file of the proposal with its texts (base, current, proposed) and the diff that approving it would apply now. */
export async function changeViews(
  parts: Parts,
  content: CurrentContent,
  row: ProposalRow,
  standing: Standing,
): Promise<ChangeView[]> {
  const { garden } = parts
  const render = await textRenderer(garden, null)
  const parent = row.git_commit ? (await garden.log({ from: row.git_commit, limit: 1 }))[0]?.parents[0] : null
  return Promise.all(
    row.changes.map(async (change, i) => {
      const now = standing.changes[i] ?? { state: 'clean', mergeable: true, currentHash: change.base_hash }
      const texts =
        row.git_commit && parent
          ? await appliedTexts(garden, content, change, [parent, row.git_commit])
          : await openTexts(parts, content, row, change, applies(row, now))
      const { proposed_text } = texts
      const rendered =
        proposed_text !== null && change.path.endsWith('.md')
          ? await render(proposed_text, change.path)
          : { tree: null, reading: false }
      return {
        path: change.path,
        type: change.type,
        position: change.position ?? null,
        state: now.state,
        base_hash: change.base_hash,
        result_hash: change.result_hash,
        current_hash: now.currentHash,
        ...texts,
        proposed_content: rendered.tree,
        reading: rendered.reading,
        ...diffStats(texts.unified),
      }
    }),
  )
}

/** Whether it stands on the file as it is now; one that was decided on stays what was decided. */
const applies = ({ status }: ProposalRow, now: Pick<Standing['changes'][number], 'state' | 'mergeable'>) =>
  isOpen(status) && (now.state === 'clean' || now.mergeable)

/** What the commit did, whatever happened to the file since. */
async function appliedTexts(
  garden: GitRepository,
  content: CurrentContent,
  { path }: StoredChange,
  [parent, commit]: [string, string],
): Promise<Texts> {
  const before = await noteTextAt(garden, path, parent)
  const after = await noteTextAt(garden, path, commit)
  return {
    base_text: before,
    current_text: await noteTextAt(garden, path, content.head),
    proposed_text: after,
    unified: unifiedDiff(path, before, after),
  }
}

/** What approving would do to the file as it is now; in a conflict, what was proposed on the base. */
async function openTexts(
  parts: Parts,
  content: CurrentContent,
  row: ProposalRow,
  change: StoredChange,
  applies: boolean,
): Promise<Texts> {
  const { text: base } = await baseTextOf(parts, row, change)
  const current = await noteTextAt(parts.garden, change.path, content.head)
  const from = applies ? current : base
  const result = resultOfChange(change, from)
  const proposed = result.ok ? result.value : null
  return {
    base_text: base,
    current_text: current,
    proposed_text: proposed,
    unified: applies && result.ok ? unifiedDiff(change.path, from, proposed) : change.unified,
  }
}
