/** The list of notes: by folder, by tag, or by search; with the folders and tags there are, counted as the reader sees them. */
import type { NoteListInput, NotePage, NoteRow, NoteScope } from '#contracts/note.contract.ts'
import { foldName, noteName } from '#domain/garden/garden-path.ts'
import { foldTag } from '#domain/garden/tag.rules.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { inFolder } from '#domain/zone/zone-scope.rules.ts'
import { PATIENCE_MS } from '#server/garden/in-time.ts'
import { measure } from '#server/metrics/meter.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { Lines } from '#server/retrieval/document-lines.ts'
import { gardenInTime, type IndexSoFar } from '#server/retrieval/garden-index.ts'
import { buildIndex, type Hit, type SearchIndex, searchTyped } from '#server/retrieval/search-index.ts'
import { type FoundLine, searchLines } from './search-lines.ts'
import { type VisibleNote, visibleGarden } from './visible-notes.ts'

const MAX_HITS = 1_000

export const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/')

/** A page of notes at the garden's head; pages of a search are cut from the same order. */
export async function listNotes(
  garden: GitRepository,
  scope: NoteScope,
  input: NoteListInput,
): Promise<NotePage> {
  const query = input.q?.trim() ? input.q : null
  const until = performance.now() + PATIENCE_MS
  const revision = await garden.head()
  const [seen, soFar] = await Promise.all([
    visibleGarden(garden, scope, revision, until),
    query ? indexSoFar(garden, revision, until) : null,
  ])
  const matching = seen.notes.filter((note) => matches(note, input))
  const missing = soFar ? matching.filter(({ path }) => !soFar.holds(path)) : []
  const rows =
    query && soFar
      ? ranked(matching, query, { indexed: soFar.index, lines: await searchLines(missing, query) })
      : matching.map((note) => rowOf(note, null))
  const start = startOf(rows, input.cursor)
  const items = rows.slice(start, start + input.limit)
  return {
    revision: seen.revision,
    items,
    next_cursor: start + input.limit < rows.length ? (items.at(-1)?.path ?? null) : null,
    total: rows.length,
    folders: foldersOf(seen.notes),
    tags: tagsOf(seen.notes),
    reading: seen.reading || missing.length > 0,
  }
}

const NOTHING_INDEXED: IndexSoFar = { index: buildIndex([]), holds: () => false }

async function indexSoFar(garden: GitRepository, revision: string, until: number): Promise<IndexSoFar> {
  const whole = await gardenInTime(garden, revision, until - performance.now())
  return whole ? whole.indexInTime(until - performance.now()) : NOTHING_INDEXED
}

/** Behind the cursor, which is the path of the last note shown. */
function startOf(rows: readonly NoteRow[], cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const last = rows.findIndex((row) => row.path === cursor)
  if (last < 0) throw new Refused('BAD_REQUEST', 'The cursor does not belong to this list.')
  return last + 1
}

function matches(note: VisibleNote, { folder, tag }: NoteListInput): boolean {
  const inside = !folder || inFolder(note.path, folder)
  return inside && (!tag || note.tags.some((t) => foldTag(t) === foldTag(tag)))
}

type Searched = { indexed: SearchIndex; lines: ReadonlyMap<string, FoundLine> }

/**
 * Notes that bear the query as their name come first, then the best passages, then what only its lines were searched of, then other names that
 * hold the query.
 */
function ranked(notes: readonly VisibleNote[], query: string, { indexed, lines }: Searched): NoteRow[] {
  const allowed = new Map(notes.map((n) => [n.path, n]))
  const best = new Map<string, Hit>()
  const hits = measure('garden_search_seconds', {}, () => searchTyped(indexed, query, MAX_HITS))
  for (const hit of hits) {
    if (allowed.has(hit.ref) && !best.has(hit.ref)) best.set(hit.ref, hit)
  }
  const top = [...best.values()][0]?.raw ?? 1
  const wanted = query.trim().normalize('NFC').toLowerCase()
  const isNamedSo = ({ title, path }: NoteRow) =>
    [title, noteName(path)].some((name) => foldName(name) === foldName(wanted))
  const others = notes.filter((n) => !best.has(n.path))
  const rows = [
    ...[...best.values()].flatMap((hit) => {
      const note = allowed.get(hit.ref)
      return note ? [rowOf(note, hitOf(hit.lines, hit.excerpt, hit.raw / top))] : []
    }),
    ...others.flatMap((note) => {
      const found = lines.get(note.path)
      return found ? [rowOf(note, hitOf({ from: found.line, to: found.line }, found.text, found.score))] : []
    }),
    ...others
      .filter((n) => !lines.has(n.path))
      .filter((n) => `${n.title} ${n.path}`.normalize('NFC').toLowerCase().includes(wanted))
      .map((note) => rowOf(note, null)),
  ]
  return [...rows.filter(isNamedSo), ...rows.filter((row) => !isNamedSo(row))]
}

const hitOf = (lines: Lines, excerpt: string, score: number): NoteRow['hit'] => ({
  ...lines,
  excerpt: excerpt.slice(0, 600),
  score,
})

const rowOf = (note: VisibleNote, hit: NoteRow['hit']): NoteRow => ({
  path: note.path,
  title: note.title,
  folder: folderOf(note.path),
  tags: note.tags,
  bytes: note.bytes,
  hit,
})

function foldersOf(notes: readonly VisibleNote[]): NotePage['folders'] {
  const counts = new Map<string, number>()
  for (const { path } of notes) {
    const parts = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/')
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
  }
  return [...counts]
    .sort(([a], [b]) => a.localeCompare(b, 'uk'))
    .map(([path, n]) => ({
      path,
      name: path.split('/').at(-1) ?? path,
      depth: path.split('/').length - 1,
      notes: n,
    }))
}

function tagsOf(notes: readonly VisibleNote[]): NotePage['tags'] {
  const counts = new Map<string, { tag: string; notes: number }>()
  for (const note of notes) {
    for (const tag of new Set(note.tags)) {
      const known = counts.get(foldTag(tag)) ?? { tag, notes: 0 }
      counts.set(foldTag(tag), { ...known, notes: known.notes + 1 })
    }
  }
  return [...counts.values()].sort((a, b) => b.notes - a.notes || (a.tag < b.tag ? -1 : 1))
}
