/** A request for changes: comments of the owner on lines that were proposed, or taken away ([proposals#requesting-changes]). */

/** The text that a line belongs to: what stood there, or what was proposed. */
export const COMMENT_SIDES = ['base', 'proposed'] as const
export type CommentSide = (typeof COMMENT_SIDES)[number]

export const CHANGE_REQUEST = { comments: 50, body: 2_000, note: 4_000, characters: 16_000 } as const

export type LinePlace = { path: string; side: CommentSide; line: number }
/** A text that is null is no such file. */
export type ReviewedTexts = { base: string | null; proposed: string | null }

const linesOf = (text: string | null): string[] => {
  const lines = (text ?? '').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The line that a comment stands at, word for word; null when that text has no such line. */
export const quotedLine = (texts: ReviewedTexts, { side, line }: Omit<LinePlace, 'path'>): string | null =>
  linesOf(texts[side])[line - 1] ?? null

const occurrences = (text: string | null, line: string): number =>
  linesOf(text).filter((one) => one === line).length

/**
 * Whether what a comment is about was changed since: a proposed line counts as unchanged while it stands in the new text as often as it did,
 * a removed one while it is still removed, wherever they moved.
 */
export function wasChanged(
  { side, quote }: { side: CommentSide; quote: string },
  { before, after }: { before: string | null; after: string | null },
): boolean {
  const [was, is] = [occurrences(before, quote), occurrences(after, quote)]
  return side === 'proposed' ? is < was : is > was
}
