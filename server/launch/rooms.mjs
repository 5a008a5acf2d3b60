/** The largest group of rooms of the server that all import each other, directly or through others. */

/**
 * @param {import('./syntax.mjs').Syntax[]} files
 * @param {{ types: boolean }} options whether imports of types alone count
 * @returns {string[]} the folders of the largest cycle, sorted; none when there is no cycle
 */
export function largestCycle(files, { types }) {
  /** @type {Map<string, Set<string>>} */
  const imported = new Map()
  for (const { file, imports } of files) {
    const room = roomOf(file)
    if (!room) continue
    const others = imports.filter(({ typeOnly }) => types || !typeOnly).map(({ from }) => roomOf(from))
    const known = imported.get(room) ?? new Set()
    for (const other of others) if (other && other !== room) known.add(other)
    imported.set(room, known)
  }
  const reach = new Map([...imported.keys()].map((room) => [room, reachable(imported, room)]))
  const cycles = [...reach].map(([room, reached]) =>
    [...reached].filter((other) => reach.get(other)?.has(room)),
  )
  return cycles.reduce((largest, cycle) => (cycle.length > largest.length ? cycle : largest), []).sort()
}

const roomOf = (/** @type {string} */ file) => /^server\/([^/]+)\//.exec(file)?.[1]

function reachable(imported, room) {
  const reached = new Set()
  const waiting = [room]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const next of imported.get(at) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      waiting.push(next)
    }
  }
  return reached
}
