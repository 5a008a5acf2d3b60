import { utf8Length } from './garden-path.ts'

/** The longest file a change may leave behind, in bytes. */
export const MAX_NOTE_BYTES = 1024 * 1024

/** Why a text may not stand in the garden, or `null`: UTF-8, LF, final newline, no NUL, ≤ 1 MiB. */
export function noteTextFault(text: string): string | null {
  if (/\p{Surrogate}/u.test(text)) return 'it is not valid Unicode'
  if (text.includes('\0')) return 'it holds a NUL'
  if (text.includes('\r')) return 'its lines do not end with LF alone'
  if (text !== '' && !text.endsWith('\n')) return 'it has no final newline'
  if (utf8Length(text) > MAX_NOTE_BYTES) return 'it is longer than 1 MiB'
  return null
}

/** What some programs put before a text to mark it as UTF-8. It is no part of the text, and readers of Markdown skip it. */
const BYTE_ORDER_MARK = '\uFEFF'

export const withoutByteOrderMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text

/** The text with LF line ends and a final newline, without a byte order mark: what a foreign file is turned into before a change is applied to it. */
export function toNoteText(text: string): string {
  const lines = withoutByteOrderMark(text).replace(/\r\n?/g, '\n')
  return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`
}

/** Where the body begins: number of lines the frontmatter takes, fences included; 0 when there is none. */
export const frontmatterLines = (text: string): number => frontmatterEnd(text.split('\n'))

/** The same for lines; a fence may end in white space, as foreign line ends leave it, and the first may follow a byte order mark. */
export function frontmatterEnd(lines: readonly string[]): number {
  if (withoutByteOrderMark(lines[0] ?? '').trimEnd() !== '---') return 0
  const end = lines.findIndex((line, i) => i > 0 && /^(?:---|\.\.\.)\s*$/.test(line))
  return end < 0 ? 0 : end + 1
}
