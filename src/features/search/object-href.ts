import type { ObjectRef, SearchKind } from '#contracts/search.contract.ts'

const PLACES: Record<SearchKind, string> = {
  proposal: 'proposals',
  job: 'jobs',
  run: 'runs',
  note: 'notes',
  agent: 'agents',
  artifact: 'artifacts',
  zone: 'zones',
}

/** The page of an object. */
export const objectHref = ({ kind, id }: ObjectRef): string =>
  `/${PLACES[kind]}/${id.split('/').map(encodeURIComponent).join('/')}`
