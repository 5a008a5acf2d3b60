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
import {
  MOST_RENAMES,
  type NamedVersion,
  namedVersion,
  versionName,
} from '#domain/garden/note-version.rules.ts'
import { proposalOfCommit } from '#domain/proposal/commit-message.rules.ts'
import { rowOf, selected } from '#server/ledger/rows.ts'
import type { FileHistory, FileVersion } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'
import { changesInScope } from './changes-in-scope.ts'
import { readableNote, versionInScope } from './readable-version.ts'
import { type RenderText, textRenderer } from './render-text.ts'
import { mayFollow, pathAt } from './version-path.ts'

type Parts = Pick<Services, 'garden' | 'reads'>
type Found = FileVersion & { version: string }

/** Milliseconds that one page looks back through the branch. */
const LOOK_BACK_MS = 400
/** And that it takes to see which versions a guest may read. */
const GUEST_MS = 800

/**
 * A page of versions, or null when there is no such note for the reader; a cursor that names no version of the note is none either. Where the note
 * was renamed, its history goes on by the path before, as far as the reader may know of it.
 */
export async function noteHistory(
  parts: Parts,
  scope: NoteScope,
  { path: asked, cursor, limit }: NoteHistoryInput,
): Promise<NoteHistory | null> {
  const { garden } = parts
  const given = cursor === undefined ? null : namedVersion(cursor)
  const path = await readableNote(garden, scope, { path: asked, revision: given?.revision })
  const start = path !== null && given ? await pathAt(garden, scope, path, given) : path
  if (path === null || start === null) return null
  const renames = [...(given?.renames ?? [])]
  const until = performance.now() + LOOK_BACK_MS
  const found = await garden.fileHistory(start, {
    ...{ limit, withinMs: LOOK_BACK_MS },
    ...(given ? { from: given.revision } : {}),
    follows: async (rename) => {
      const follows = renames.length < MOST_RENAMES && (await mayFollow(garden, scope, rename, until))
      if (follows) renames.push(rename.by)
      return follows
    },
  })
  const versions = namedVersions(found.versions, given?.renames ?? [])
  const next = found.next && versionName({ revision: found.next, renames })
  if (scope === null) return { path, items: versions.map(versionOf), next_cursor: next }
  const { items, left } = await guestVersions(parts, scope, versions)
  return { path, items, next_cursor: left ?? next }
}

/** Each with its name, which holds the renames that are newer than it. */
function namedVersions(versions: FileHistory['versions'], before: readonly string[]): Found[] {
  const renames = [...before]
  return versions.map((found) => {
    const version = versionName({ revision: found.commit.oid, renames })
    if (found.renamed) renames.push(found.renamed.by)
    return { ...found, version }
  })
}

/** What a guest sees of these within the time of a page; `left` is where to look on. The first is decided always, so that pages go on. */
async function guestVersions(parts: Parts, scope: NonNullable<NoteScope>, versions: readonly Found[]) {
  const until = performance.now() + GUEST_MS
  const items: NoteVersion[] = []
  for (const [i, found] of versions.entries()) {
    const place = { path: found.path, revision: found.commit.oid }
    const isIn = found.oid !== null && (await versionInScope(parts.garden, scope, place, until))
    const shown = isIn ? await guestVersion(parts, scope, found, until) : null
    // One that was not read in time is decided by the next page, when it may have been.
    if (i > 0 && performance.now() >= until) return { items, left: found.version }
    if (shown) items.push(shown)
  }
  return { items, left: null }
}

/** `[who] what`, as the Apply Engine writes it. */
const BY = /^\[([^\]]+)\] /

function versionOf({ commit, oid, version, renamed }: Found): NoteVersion {
  const proposal_id = proposalOfCommit(commit.message)
  const subject = commit.message.split('\n', 1)[0] ?? ''
  return {
    revision: commit.oid,
    version,
    at: commit.at.toISOString(),
    author: (proposal_id && BY.exec(subject)?.[1]) || commit.author.name,
    message: proposal_id ? subject.replace(BY, '') : subject,
    proposal_id,
    removed: oid === null,
    renamed_from: renamed?.path ?? null,
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
  const named = [to, ...(from === undefined ? [] : [from])].map(namedVersion)
  const path = await readableNote(garden, scope, { path: asked, revision: named[0]?.revision })
  if (path === null) return null
  const found = await Promise.all(named.map((version) => readablePlace(garden, scope, path, version)))
  if (found.includes(null)) return null
  const render = await textRenderer(garden, scope)
  const [after, before] = await Promise.all(
    found.map((place) => place && sideOf(garden, { ...place, render })),
  )
  return after ? { path, to: after, from: before ?? null } : null
}

/** Where a version of the note is read, or null when the reader may not. */
async function readablePlace(
  garden: Parts['garden'],
  scope: NoteScope,
  path: string,
  version: NamedVersion,
): Promise<{ path: string; revision: string } | null> {
  const { revision } = version
  if (!(await garden.isOnBranch(revision))) return null
  const at = await pathAt(garden, scope, path, version)
  if (at === null) return null
  const isShown = scope === null || (await versionInScope(garden, scope, { path: at, revision }))
  return isShown ? { path: at, revision } : null
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
