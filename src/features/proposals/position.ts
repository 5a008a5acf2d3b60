/** The list as it is on screen: its rows in order, and those that have left it. */
export type ShownOrder = { ids: readonly string[]; removed: ReadonlySet<string> }

export type Position = {
  at: number
  total: number
  /** Not decided yet, the open one included. */
  left: number
  /** False where more follows than is loaded and nobody has counted it: both numbers are "at least". */
  exact: boolean
}

/**
 * Where the open proposal stands among those one is working through. `more`: the list is not loaded to its end; `waiting` is then how many
 * wait in all, when that is known. Pure; null for one that is not in the list.
 */
export function positionOf(
  id: string,
  { ids, removed }: ShownOrder,
  { more, waiting }: { more: boolean; waiting: number | null },
): Position | null {
  const at = ids.indexOf(id)
  if (at < 0) return null
  const open = ids.length - removed.size
  const left = more ? Math.max(open, waiting ?? 0) : open
  return { at: at + 1, total: left + removed.size, left, exact: !more || waiting !== null }
}
