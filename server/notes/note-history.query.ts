/**
 * The versions of a note, and two of them side by side, as somebody with this scope may read them ([notes#history]): for a guest those alone
 * whose own text lay in the zone, of a note that lies in it now.
 */

import type { NoteScope } from '#contracts/note.contract.ts'
import type {
  NoteCompareInput,
  NoteComparison,
  NoteHistory,
  NoteHistoryInput,
  NoteVersion,
} from '#contracts/note-history.contract.ts'
import { proposalOfCommit } from '#domain/proposal/commit-message.rules.ts'
import { rowOf, selected } from '#server/ledger/rows.ts'
import type { FileHistory } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'
import { changesInScope } from './changes-in-scope.ts'
import { readableNote, versionInScope } from './readable-version.ts'
import { type RenderText, textRenderer } from './render-text.ts'

type Parts = Pick<Services, 'garden' | 'reads'>
type Found = FileHistory['versions'][number]

/** Milliseconds that one page looks back through the branch. */
const LOOK_BACK_MS = 400
/** And that it takes to see which versions a guest may read. */
const GUEST_MS = 800

/** A page of versions, or null when there is no such note for the reader; a cursor that is no commit of the branch is none either. */
export async function noteHistory(
  parts: Parts,
  scope: NoteScope,
  { path: asked, cursor, limit }: NoteHistoryInput,
): Promise<NoteHistory | null> {
  const path = await readableNote(parts.garden, scope, { path: asked, revision: cursor })
  if (path === null) return null
  const bounds = { limit, withinMs: LOOK_BACK_MS, ...(cursor ? { from: cursor } : {}) }
  const { versions, next } = await parts.garden.fileHistory(path, bounds)
  if (scope === null) return { path, items: versions.map(versionOf), next_cursor: next }
  const { items, left } = await guestVersions(parts, scope, { path, versions })
  return { path, items, next_cursor: left ?? next }
}

type Walked = { path: string; versions: readonly Found[] }

/** What a guest sees of these within the time of a page; `left` is where to look on. The first is decided always, so that pages go on. */
async function guestVersions(parts: Parts, scope: NonNullable<NoteScope>, { path, versions }: Walked) {
  const until = performance.now() + GUEST_MS
  const items: NoteVersion[] = []
  for (const [i, version] of versions.entries()) {
    const revision = version.commit.oid
    const isIn =
      version.oid !== null && (await versionInScope(parts.garden, scope, { path, revision }, until))
    const shown = isIn ? await guestVersion(parts, scope, version, until) : null
    // One that was not read in time is decided by the next page, when it may have been.
    if (i > 0 && performance.now() >= until) return { items, left: revision }
    if (shown) items.push(shown)
  }
  return { items, left: null }
}

/** `[who] what`, as the Apply Engine writes it. */
const BY = /^\[([^\]]+)\] /

function versionOf({ commit, oid }: Found): NoteVersion {
  const proposal_id = proposalOfCommit(commit.message)
  const subject = commit.message.split('\n', 1)[0] ?? ''
  return {
    revision: commit.oid,
    at: commit.at.toISOString(),
    author: (proposal_id && BY.exec(subject)?.[1]) || commit.author.name,
    message: proposal_id ? subject.replace(BY, '') : subject,
    proposal_id,
    removed: oid === null,
  }
}

/** A guest is told what the proposal says, if the whole of it lies in the zone; a commit made by hand may speak of other notes. */
async function guestVersion(
  parts: Parts,
  scope: NonNullable<NoteScope>,
  found: Found,
  until: number,
): Promise<NoteVersion> {
  const version = versionOf(found)
  const message = version.proposal_id ? await summaryInScope(parts, scope, version.proposal_id, until) : null
  const proposal_id = message === null ? null : version.proposal_id
  return { ...version, author: null, message, proposal_id }
}

const SHOWN = selected(['summary', 'changes', 'base_revision', 'git_commit'] as const)

/** What a proposal says of itself, or null where a part of it lies outside. */
async function summaryInScope(
  parts: Parts,
  scope: NonNullable<NoteScope>,
  id: string,
  until: number,
): Promise<string | null> {
  const found = await parts.reads.proposal.findUnique({ where: { proposal_id: id }, select: SHOWN })
  const row = found && rowOf('proposal', found)
  return row?.git_commit && (await changesInScope(parts.garden, scope, row, until)) ? row.summary : null
}

/** Both versions as text and rendered, or null when the reader may not see one of them. */
export async function compareNote(
  { garden }: Pick<Parts, 'garden'>,
  scope: NoteScope,
  { path: asked, from, to }: NoteCompareInput,
): Promise<NoteComparison | null> {
  const path = await readableNote(garden, scope, { path: asked, revision: to })
  if (path === null || (from !== undefined && !(await garden.isOnBranch(from)))) return null
  const revisions = from === undefined ? [to] : [to, from]
  if (scope !== null) {
    const shown = await Promise.all(
      revisions.map((revision) => versionInScope(garden, scope, { path, revision })),
    )
    if (shown.includes(false)) return null
  }
  const render = await textRenderer(garden, scope)
  const [after, before] = await Promise.all(
    revisions.map((revision) => sideOf(garden, { path, revision, render })),
  )
  return after ? { path, to: after, from: before ?? null } : null
}

async function sideOf(
  garden: Parts['garden'],
  { path, revision, render }: { path: string; revision: string; render: RenderText },
): Promise<NoteComparison['to']> {
  const file = await garden.read(path, revision)
  if (!file) return { revision, markdown: null, content: null, reading: false }
  const { tree, reading } = await render(file.text, path)
  return { revision, markdown: file.text, content: tree, reading }
}
