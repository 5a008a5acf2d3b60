import { recentInput, searchAnswer, searchInput } from '#contracts/search.contract.ts'
import { operations, read } from '#server/operations/operation.ts'
import { findObjects, searchEverywhere } from './search-everywhere.query.ts'

export const searchOperations = operations('search', {
  everywhere: read('search.read', {
    summary: 'Objects of every kind by words, state or id; a guest finds those of the zone',
    rest: 'GET /api/v1/search',
    input: searchInput,
    output: searchAnswer,
    run: ({ services, caller }, input) => searchEverywhere(services, caller, input),
  }),
  objects: read('search.read', {
    summary: 'These objects as they are now, those left out that the caller does not see',
    rest: null,
    input: recentInput,
    output: searchAnswer,
    run: ({ services, caller }, { objects }) => findObjects(services, caller, objects),
  }),
})
