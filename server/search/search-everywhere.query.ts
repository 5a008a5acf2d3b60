/** Everything of the console that a text means ([search#purpose]): all kinds at once, each as the reader may see it. */
import {
  MOST_HITS,
  type ObjectRef,
  type SearchAnswer,
  type SearchHit,
  type SearchInput,
  type SearchKind,
} from '#contracts/search.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { may } from '#domain/authority/matrix.ts'
import { SEARCH_KINDS } from '#domain/search/search-kinds.ts'
import type { ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import { indexedWords } from '#server/ledger/indexed-words.ts'
import { listNotes } from '#server/notes/list-notes.query.ts'
import { visibleGarden } from '#server/notes/visible-notes.ts'
import type { Services } from '#server/services.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'
import { type FoundRow, findInLedger, rowsById } from './find-in-ledger.ts'
import { searchTerms } from './search-terms.ts'
import { SEARCHED_KINDS, type SearchedKind } from './searched-kinds.ts'
import { shownInZone } from './shown-in-zone.ts'

type Parts = Pick<Services, 'db' | 'garden' | 'reads'>

/** So many are found for a guest before those outside the zone are taken out. */
const GUEST_CANDIDATES = 200

/** At most five of each kind. */
export async function searchEverywhere(
  services: Parts,
  caller: Caller,
  input: SearchInput,
): Promise<SearchAnswer> {
  const typed = searchTerms(input)
  const [scope, indexed] = await Promise.all([
    zoneScopeOf(services, caller),
    indexedWords(services.db, typed.words),
  ])
  const terms = { ...typed, indexed }
  const kinds = SEARCHED_KINDS.filter(({ right }) => may(caller.role, right))
  const [notes, ...others] = await Promise.all([
    notesLike(services, scope, terms.text),
    ...kinds.map(async (kind) => {
      const rows = await findInLedger(services.db, kind, terms, scope ? GUEST_CANDIDATES : MOST_HITS)
      return (await hitsOf(services, kind, { scope, rows })).slice(0, MOST_HITS)
    }),
  ])
  return { items: inOrder([...notes, ...others.flat()]) }
}

/** Those of these objects that are there and that the reader may see, in the order they are asked for. */
export async function findObjects(
  services: Parts,
  caller: Caller,
  objects: readonly ObjectRef[],
): Promise<SearchAnswer> {
  const scope = await zoneScopeOf(services, caller)
  const idsOf = (kind: SearchKind) => objects.filter((one) => one.kind === kind).map(({ id }) => id)
  const kinds = SEARCHED_KINDS.filter(({ kind, right }) => idsOf(kind).length > 0 && may(caller.role, right))
  const [notes, ...others] = await Promise.all([
    notesAt(services, scope, idsOf('note')),
    ...kinds.map(async (kind) =>
      hitsOf(services, kind, { scope, rows: await rowsById(services.db, kind, idsOf(kind.kind)) }),
    ),
  ])
  const found = new Map([...notes, ...others.flat()].map((hit) => [`${hit.kind} ${hit.id}`, hit]))
  return { items: objects.flatMap(({ kind, id }) => found.get(`${kind} ${id}`) ?? []) }
}

type Found = { scope: ZoneScope | null; rows: readonly FoundRow[] }

/** What of these rows the reader sees; a guest does not learn of whom. */
async function hitsOf(services: Parts, { kind }: SearchedKind, { scope, rows }: Found): Promise<SearchHit[]> {
  const shown = scope ? await shownInZone(services, scope, { kind, rows }) : rows
  return shown.map(
    ({ id, title, detail, status }) =>
      ({ kind, id, title, detail: scope ? null : detail, status }) as SearchHit,
  )
}

const noteHit = ({ path, title }: { path: string; title: string }): SearchHit => ({
  kind: 'note',
  id: path,
  title,
  detail: path,
  status: null,
})

async function notesLike({ garden }: Parts, scope: ZoneScope | null, q: string): Promise<SearchHit[]> {
  const { items } = await listNotes(garden, scope, { q, limit: MOST_HITS })
  return items.map(noteHit)
}

async function notesAt(
  { garden }: Parts,
  scope: ZoneScope | null,
  paths: readonly string[],
): Promise<SearchHit[]> {
  if (paths.length === 0) return []
  const seen = await visibleGarden(garden, scope)
  return paths.flatMap((path) => seen.find(path) ?? []).map(noteHit)
}

const inOrder = (hits: readonly SearchHit[]): SearchHit[] =>
  SEARCH_KINDS.flatMap((kind) => hits.filter((hit) => hit.kind === kind))
