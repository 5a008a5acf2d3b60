import { PATH_FAULTS, type PathFault } from './garden-path.ts'

/**
 * What an import or a push gave and the garden does not show ([garden#left-out]). An import writes its list into the first commit, so that
 * it goes with every copy of the garden.
 */
export const IMPORT_REPORT = '_bloom/import.json'

const OTHER_REASONS = [
  'symlink',
  'not_file',
  'executable',
  'module',
  'hidden',
  'not_utf8_name',
  'twin',
  'too_large',
  'not_text',
] as const
export type LeftOutReason = PathFault | (typeof OTHER_REASONS)[number]
export const LEFT_OUT_REASONS = [
  ...OTHER_REASONS,
  ...(Object.keys(PATH_FAULTS) as PathFault[]),
] as const satisfies readonly LeftOutReason[]

export type LeftOut = { path: string; reason: LeftOutReason }

const MESSAGES: Record<(typeof OTHER_REASONS)[number], string> = {
  symlink: 'a symbolic link',
  not_file: 'not a plain file',
  executable: 'marked as executable',
  module: 'a submodule',
  hidden: 'hidden',
  not_utf8_name: 'a name that is not UTF-8',
  twin: 'a name that differs from another in letter case or normal form alone',
  too_large: 'longer than 1 MiB',
  not_text: 'not a text',
}

/** The reason as people read it in a terminal. */
export const reasonInWords = (reason: LeftOutReason): string =>
  reason in PATH_FAULTS ? PATH_FAULTS[reason as PathFault] : MESSAGES[reason as keyof typeof MESSAGES]

/** By reason, the most frequent first; the names in their order, at most `names` of each. */
export function byReason(
  leftOut: readonly LeftOut[],
  names: number,
): { reason: LeftOutReason; count: number; paths: string[] }[] {
  const groups = new Map<LeftOutReason, LeftOut[]>()
  for (const entry of leftOut) {
    const group = groups.get(entry.reason)
    if (group) group.push(entry)
    else groups.set(entry.reason, [entry])
  }
  return [...groups]
    .map(([reason, entries]) => ({
      reason,
      count: entries.length,
      paths: entries.slice(0, names).map(({ path }) => path),
    }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
}

/** A name on one line of a terminal: what would move the cursor is written as its code. */
const onOneLine = (path: string): string =>
  path.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)

/** Lines for a terminal: how many, then each reason with its count and some names; none when nothing was left out. */
export function leftOutLines(leftOut: readonly LeftOut[], names = 5): string[] {
  if (leftOut.length === 0) return []
  const files = leftOut.length === 1 ? '1 file or folder was' : `${leftOut.length} files or folders were`
  return [
    `${files} left out of the import:`,
    ...byReason(leftOut, names).map(({ reason, count, paths }) => {
      const more = count > paths.length ? `, and ${count - paths.length} more` : ''
      return `  ${count} × ${reasonInWords(reason)}: ${paths.map(onOneLine).join(', ')}${more}`
    }),
  ]
}
