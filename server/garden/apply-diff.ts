import { applyPatch, createTwoFilesPatch, parsePatch } from 'diff'
import { frontmatterLines, toNoteText } from '#domain/garden/note-text.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Diff } from '#domain/proposal/conflict.rules.ts'
import type { Hunk } from '#domain/proposal/hunks.rules.ts'

/**
 * Applies a change to a text, and writes the unified diff between two texts. Texts are in
 * note form (LF, final newline); `null` is "no such file". Hunks apply with no fuzz, though they may have moved.
 */
const fault = (message: string): Result<never> => refuse({ code: 'DIFF_INVALID', message })

/** Beyond this many changed lines a diff is written as one hunk: the search for the shortest one costs their square. */
const MAX_EDIT_LENGTH = 1_000

/** The text after the change (`null` once deleted), or 422 `DIFF_INVALID`, 404 `TARGET_NOT_FOUND`, 409 `TARGET_EXISTS`. */
export function applyDiff(current: string | null, diff: Diff): Result<string | null> {
  if (diff.type === 'create') {
    return current === null
      ? ok(toNoteText(diff.text))
      : refuse({ code: 'TARGET_EXISTS', message: 'The file exists already.' })
  }
  if (current === null) return refuse({ code: 'TARGET_NOT_FOUND', message: 'There is no such file.' })
  if (diff.type === 'delete') return ok(null)
  if (diff.type === 'append') return append(toNoteText(current), diff)
  if ('text' in diff) return ok(toNoteText(diff.text))
  return patch(toNoteText(current), diff.unified)
}

function append(current: string, diff: Extract<Diff, { type: 'append' }>): Result<string> {
  const text = toNoteText(diff.text)
  if (diff.position === 'end') return ok(current + text)
  const lines = current === '' ? [] : current.slice(0, -1).split('\n')
  const at = diff.position === 'after-frontmatter' ? frontmatterLines(current) : diff.position
  if (at > lines.length) return fault(`The file has only ${lines.length} lines.`)
  const join = (part: string[]) => part.map((line) => `${line}\n`).join('')
  return ok(join(lines.slice(0, at)) + text + join(lines.slice(at)))
}

function patch(current: string, unified: string): Result<string> {
  try {
    const patches = parsePatch(unified)
    const [only] = patches
    if (patches.length !== 1 || !only || only.hunks.length === 0)
      return fault('A unified diff of exactly one file is needed.')
    const result = applyPatch(current, only, { fuzzFactor: 0 })
    return result === false
      ? fault('The diff does not apply to the file as it is now.')
      : ok(toNoteText(result))
  } catch {
    return fault('The text is not a unified diff.')
  }
}

/** The unified diff that leads from one text to the other, with three lines of context; empty when they are equal. */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  const [old, next] = [toNoteText(before ?? ''), toNoteText(after ?? '')]
  if (old === next) return ''
  const names = [
    before === null ? '/dev/null' : `a/${path}`,
    after === null ? '/dev/null' : `b/${path}`,
  ] as const
  const made = createTwoFilesPatch(names[0], names[1], old, next, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDIT_LENGTH,
  })
  return made ? made.slice(made.indexOf('---')) : oneHunk(names, old, next)
}

/** The hunks of a unified diff of one file, in their order; none where the text is no diff. */
export function hunksOf(unified: string): Hunk[] {
  if (unified === '') return []
  return parsePatch(unified)[0]?.hunks ?? []
}

/** The text after these hunks of a diff, which may have moved; 422 `DIFF_INVALID` where they do not fit. */
export function applyHunks(path: string, text: string, hunks: readonly Hunk[]): Result<string> {
  const patch = { oldFileName: path, newFileName: path, oldHeader: '', newHeader: '' }
  const result = applyPatch(text, { ...patch, hunks: hunks.map(asPatched) }, { fuzzFactor: 0 })
  return result === false
    ? fault('The diff does not apply to the file as it is now.')
    : ok(toNoteText(result))
}

const asPatched = (hunk: Hunk) => ({
  ...hunk,
  lines: [...hunk.lines],
  newStart: hunk.oldStart,
  newLines: hunk.lines.filter((line) => !line.startsWith('-')).length,
})

function oneHunk(names: readonly [string, string], old: string, next: string): string {
  const [removed, added] = [old, next].map((text) => (text === '' ? [] : text.slice(0, -1).split('\n')))
  const range = (lines: string[]) => `${lines.length === 0 ? 0 : 1},${lines.length}`
  const body = [...(removed ?? []).map((l) => `-${l}`), ...(added ?? []).map((l) => `+${l}`)]
  return [
    `--- ${names[0]}`,
    `+++ ${names[1]}`,
    `@@ -${range(removed ?? [])} +${range(added ?? [])} @@`,
    ...body,
    '',
  ].join('\n')
}

/** Lines that a unified diff adds and takes away. */
export function diffStats(unified: string): { additions: number; deletions: number } {
  let [additions, deletions] = [0, 0]
  let inHunk = false
  for (const line of unified.split('\n')) {
    if (line.startsWith('@@')) inHunk = true
    else if (inHunk && line.startsWith('+')) additions++
    else if (inHunk && line.startsWith('-')) deletions++
  }
  return { additions, deletions }
}
