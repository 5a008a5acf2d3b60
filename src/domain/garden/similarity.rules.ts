/**
 * How much of a text another one still holds, as git measures it to find renames: bytes of equal lines, of the larger of the two. Where lines are
 * long they are cut, so that a changed word does not make a paragraph another one.
 */
export const ALIKE = 0.5

/** As git cuts them. */
const MAX_PIECE = 64

/** From 0 to 1; two empty texts are alike. */
export function similarity(before: string, after: string): number {
  const larger = Math.max(before.length, after.length)
  if (larger === 0) return 1
  // Lines of the shorter one alone are not enough.
  if (Math.min(before.length, after.length) < larger * ALIKE) return 0
  const counts = new Map<string, number>()
  for (const piece of piecesOf(before)) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  let kept = 0
  for (const piece of piecesOf(after)) {
    const left = counts.get(piece) ?? 0
    if (left === 0) continue
    counts.set(piece, left - 1)
    kept += piece.length
  }
  return kept / larger
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const line = text.indexOf('\n', at)
    const end = Math.min(line < 0 ? text.length : line + 1, at + MAX_PIECE)
    yield text.slice(at, end)
    at = end
  }
}
