/** The list of notes: by folder, by tag, or by search; with the folders and tags there are, counted as the reader sees them. */
import type { NoteHit, NoteListInput, NotePage, NoteRow, NoteScope } from '#contracts/note.contract.ts'
import { foldName, noteName } from '#domain/garden/garden-path.ts'
import { foldTag } from '#domain/garden/tag.rules.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { inFolder } from '#domain/zone/zone-scope.rules.ts'
import { PATIENCE_MS } from '#server/garden/in-time.ts'
import { measure } from '#server/metrics/meter.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { gardenInTime, type IndexSoFar } from '#server/retrieval/garden-index.ts'
import { buildIndex, type SearchIndex } from '#server/retrieval/search-index.ts'
import { searchTyped } from '#server/retrieval/search-typed.ts'
import { lineHit, passageHit } from './passage-hits.ts'
import { type FoundLine, searchLines } from './search-lines.ts'
import { type VisibleNote, visibleGarden } from './visible-notes.ts'

/** Notes that a search finds by their passages; further ones it finds by their names alone. */
const MOST_FOUND = 1_000
/** Passages of one note that a search names. */
const PASSAGES = 3

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
      : matching.map(unasked)
  const start = startOf(rows, input.cursor)
  const items = rows.slice(start, start + input.limit).map(rowOf)
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
function startOf(rows: readonly Ranked[], cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const last = rows.findIndex(({ note }) => note.path === cursor)
  if (last < 0) throw new Refused('BAD_REQUEST', 'The cursor does not belong to this list.')
  return last + 1
}

function matches(note: VisibleNote, { folder, tag }: NoteListInput): boolean {
  const inside = !folder || inFolder(note.path, folder)
  return inside && (!tag || note.tags.some((t) => foldTag(t) === foldTag(tag)))
}

/** The passages of a note are made when it is shown: a search finds many more than a page holds. */
type Ranked = { note: VisibleNote; hits: () => NoteHit[] }
const unasked = (note: VisibleNote): Ranked => ({ note, hits: () => [] })

type Searched = { indexed: SearchIndex; lines: ReadonlyMap<string, FoundLine> }

/**
 * Notes that bear the query as their name come first, then the best passages, then what only its lines were searched of, then other names that
 * hold the query.
 */
function ranked(notes: readonly VisibleNote[], query: string, { indexed, lines }: Searched): Ranked[] {
  const allowed = new Map(notes.map((n) => [n.path, n]))
  const within = { allowed: (ref: string) => allowed.has(ref), notes: MOST_FOUND, passages: PASSAGES }
  const found = measure('garden_search_seconds', {}, () => searchTyped(indexed, query, within))
  const best = Map.groupBy(found, ({ ref }) => ref)
  const top = found[0]?.raw ?? 1
  const wanted = query.trim().normalize('NFC').toLowerCase()
  const isNamedSo = ({ note: { title, path } }: Ranked) =>
    [title, noteName(path)].some((name) => foldName(name) === foldName(wanted))
  const others = notes.filter((n) => !best.has(n.path))
  const rows = [
    ...[...best].flatMap(([path, hits]) => {
      const note = allowed.get(path)
      return note ? [{ note, hits: () => hits.map((hit) => passageHit(hit, { query, top })) }] : []
    }),
    ...others.flatMap((note) => {
      const line = lines.get(note.path)
      return line ? [{ note, hits: () => [lineHit(line, query)] }] : []
    }),
    ...others
      .filter((n) => !lines.has(n.path))
      .filter((n) => `${n.title} ${n.path}`.normalize('NFC').toLowerCase().includes(wanted))
      .map(unasked),
  ]
  return [...rows.filter(isNamedSo), ...rows.filter((row) => !isNamedSo(row))]
}

function rowOf({ note, hits }: Ranked): NoteRow {
  const [hit = null, ...other_hits] = hits()
  return {
    path: note.path,
    title: note.title,
    folder: folderOf(note.path),
    tags: note.tags,
    bytes: note.bytes,
    hit,
    other_hits,
  }
}

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
