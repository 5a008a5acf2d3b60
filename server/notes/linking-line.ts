/** Characters that say in which sentence a link stands. */
const MOST_CHARS = 240
const MOST_READ = 4 * MOST_CHARS

/** A line of a note as it reads: without the marks of lists, headings, links and emphasis. Lines count from 1. */
export function linkingLine(text: string, line: number): string {
  const plain = (text.split('\n', line)[line - 1] ?? '')
    .slice(0, MOST_READ)
    .replace(/^\s*(?:>\s*|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+|#{1,6}\s+)+/, '')
    .replace(/!?\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/g, '$1')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/[*`]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length > MOST_CHARS
    ? `${plain
        .slice(0, MOST_CHARS)
        .replace(/\p{Surrogate}$/u, '')
        .trimEnd()}…`
    : plain
}
