import { matchQuery, type QueryClient, type QueryFilters } from '@tanstack/react-query'

/** What is asked for within a frame is read together. */
const BATCH_MS = 16

type Round = { filters: QueryFilters[]; hasBegun: boolean }
const next = new WeakMap<QueryClient, Round>()

/**
 * Reads the matching queries again, in a moment and together with all that is asked for until then: one act makes several events, one event is heard in many
 * places of a page, and a query that several of them name is read once. What is being read already is read anew: it may be older than the event. Until the
 * round has begun, it will see whatever happens.
 */
export function readTogether(queries: QueryClient, filter: QueryFilters): { readonly hasBegun: boolean } {
  const round = next.get(queries) ?? planRound(queries)
  round.filters.push(filter)
  return round
}

function planRound(queries: QueryClient): Round {
  const round: Round = { filters: [], hasBegun: false }
  next.set(queries, round)
  setTimeout(() => {
    next.delete(queries)
    round.hasBegun = true
    void queries.invalidateQueries({
      predicate: (query) => round.filters.some((filter) => matchQuery(filter, query)),
    })
  }, BATCH_MS)
  return round
}
