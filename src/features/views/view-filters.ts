import type { SavedView } from '#contracts/saved-view.contract.ts'
import { VIEW_LISTS } from '#domain/view/saved-view.rules.ts'

type Values = Readonly<Record<string, string | null>>

/** The filters that are on, as a view keeps them. */
export const givenFilters = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])))

/** The change of the address that shows the view and nothing beside it. */
export const changeTo = ({ filters }: Pick<SavedView, 'filters'>, values: Values) =>
  Object.fromEntries(Object.keys(values).map((name) => [name, filters[name] ?? null]))

/** Whether the list shows exactly what the view keeps. */
export function isShown({ filters }: Pick<SavedView, 'filters'>, values: Values): boolean {
  const given = givenFilters(values)
  const names = new Set([...Object.keys(given), ...Object.keys(filters)])
  return [...names].every((name) => given[name] === filters[name])
}

/** The address of the list with the view's filters. */
export function viewHref({ list, filters }: Pick<SavedView, 'list' | 'filters'>): string {
  const search = new URLSearchParams(filters).toString()
  return search ? `${VIEW_LISTS[list]}?${search}` : VIEW_LISTS[list]
}
