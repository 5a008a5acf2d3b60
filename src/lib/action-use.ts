/** How often each act was chosen from the command menu in this browser: what is used most comes first. */
import { keepIn, readFrom } from './kept.ts'

const KEY = 'palette.used'
/** Acts that are remembered; the least used are forgotten. */
const MOST = 100

const uses = (): Record<string, number> => {
  const kept = readFrom<unknown>('local', KEY)
  const entries = typeof kept === 'object' && kept !== null ? Object.entries(kept) : []
  return Object.fromEntries(entries.filter((e): e is [string, number] => typeof e[1] === 'number'))
}

export function noteUse(id: string): void {
  const known = uses()
  const next = Object.entries({ ...known, [id]: (known[id] ?? 0) + 1 }).sort(([, a], [, b]) => b - a)
  keepIn('local', KEY, Object.fromEntries(next.slice(0, MOST)))
}

/** The most used first, others in the order they came. */
export function byUse<T extends { id: string }>(items: readonly T[]): T[] {
  const known = uses()
  return items.toSorted((a, b) => (known[b.id] ?? 0) - (known[a.id] ?? 0))
}
