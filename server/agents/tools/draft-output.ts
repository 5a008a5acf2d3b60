import { estimateTokens, OUTPUT_TOKEN_LIMIT, type ProposedChange } from '#server/ports/agent-executor.ts'

/** Tokens kept free for what the executor adds around the proposals. */
const SPARE_TOKENS = 500

/** True when the proposals fit into the output of one run. */
export const fits = (proposals: readonly ProposedChange[]): boolean =>
  estimateTokens(JSON.stringify(proposals)) <= OUTPUT_TOKEN_LIMIT - SPARE_TOKENS

/** The beginning of a text, at most `limit` characters, never through the middle of one; verbatim, for quotes. */
export function head(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\uD800-\uDBFF]/u.test(text.charAt(limit - 1)) ? limit - 1 : limit
  return text.slice(0, end)
}

/** A summary that ends in an ellipsis where it was cut, on one line. */
export function oneLine(text: string, limit: number): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  return line.length <= limit ? line : `${head(line, limit - 1).trimEnd()}…`
}

const BASE = /[^\p{L}\p{M}\p{Nd}]+/gu
/** A file name that says what a text is about, in its own script: lower case, words joined by hyphens. */
export function slugOf(text: string, limit = 60): string {
  const words = text.normalize('NFC').toLowerCase().replace(/['’ʼ]/gu, '').split(BASE).filter(Boolean)
  let slug = ''
  for (const word of words) {
    const next = slug === '' ? head(word, limit) : `${slug}-${word}`
    if (next.length > limit) break
    slug = next
  }
  return slug.normalize('NFC') || 'note'
}

/** The first of `<base>.md`, `<base>-2.md`, … that the garden does not hold. */
export function freePath(base: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const path = n === 1 ? `${base}.md` : `${base}-${n}.md`
    if (!taken.has(path)) return path
  }
}
