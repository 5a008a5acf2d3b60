/** The lines of a definition's front matter that say which edit it is: they never go back, whatever becomes of the rest. */
import { frontmatterLines } from '../garden/note-text.rules.ts'

const EDIT_KEYS = ['version', 'updated_at'] as const
type EditKey = (typeof EDIT_KEYS)[number]
const VERSION = /^version:\s*["']?(\d+)\.(\d+)\.\d+/

function placeOf(lines: readonly string[], end: number, key: EditKey): number {
  return lines.findIndex((line, n) => n < end && line.startsWith(`${key}:`))
}

/** The text as if it were the edit that `other` is; what one of them does not state stays as it is. */
export function asEditOf(text: string, other: string): string {
  const [lines, others] = [text.split('\n'), other.split('\n')]
  const [end, otherEnd] = [frontmatterLines(text), frontmatterLines(other)]
  for (const key of EDIT_KEYS) {
    const [place, from] = [placeOf(lines, end, key), placeOf(others, otherEnd, key)]
    if (place >= 0 && from >= 0) lines[place] = others[from] as string
  }
  return lines.join('\n')
}

/** The text with the next minor version, or null where it states none that can be raised. */
export function withRaisedVersion(text: string): string | null {
  const lines = text.split('\n')
  const place = placeOf(lines, frontmatterLines(text), 'version')
  const [, major, minor] = VERSION.exec(lines[place] ?? '') ?? []
  if (minor === undefined) return null
  lines[place] = `version: ${major}.${Number(minor) + 1}.0`
  return lines.join('\n')
}
