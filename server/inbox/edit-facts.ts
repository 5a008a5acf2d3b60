import type { EditInput } from '#contracts/proposal-commands.contract.ts'
import { leftOut } from '#domain/proposal/hunks.rules.ts'
import { type EditedChange, linesWritten } from './edited-changes.ts'

/** What the agent learns of a file that was not taken as proposed ([contexts#assembly]). */
export type EditFeedback = {
  remainder: EditInput['remainder']
  note: string | null
  changes: {
    path: string
    of: number
    /** Hunks that the owner did not take, by number, and what they were. */
    left_out: { hunk: number; diff: string }[]
    /** What she wrote herself, as a diff. */
    written: string
  }[]
}

/** Characters of one diff, and of all together, that the agent is shown; the rest is in the proposal. */
const MAX_DIFF = 600
const MAX_DIFFS = 2_000
/** Hunks of one file that it is shown. */
const MAX_HUNKS = 8

/** Cuts diffs one after the other; the number of a hunk stays when there is no room for its lines. */
function shortener(): (diff: string) => string {
  let left = MAX_DIFFS
  return (diff) => {
    const length = Math.min(MAX_DIFF, left)
    left -= Math.min(diff.length, length)
    // Half of a surrogate pair is no text that the ledger can keep.
    return diff.length > length ? `${diff.slice(0, length).toWellFormed()}…` : diff
  }
}

/** What the entry keeps for the agent, and what the audit keeps. */
export function editFacts(
  edited: readonly EditedChange[],
  { remainder, note }: { remainder: EditInput['remainder']; note: string | null },
): { feedback: EditFeedback; recorded: Record<string, unknown> } {
  const cut = shortener()
  const feedback = edited
    .map((one) => {
      const out = leftOut(one.hunks, one.accepted)
      return {
        path: one.change.path,
        of: one.hunks.length,
        left_out: out.slice(0, MAX_HUNKS).map((n) => ({
          hunk: n,
          diff: cut((one.hunks[n - 1]?.lines ?? []).join('\n')),
        })),
        written: cut(bodyOf(one.written)),
      }
    })
    .filter((one) => one.left_out.length > 0 || one.written !== '')
  const hunks = edited.map((one) => ({
    path: one.change.path,
    accepted: one.accepted,
    of: one.hunks.length,
    lines_edited: linesWritten(one),
  }))
  return {
    feedback: { remainder, note, changes: feedback },
    recorded: { hunks, remainder, ...(note === null ? {} : { note }) },
  }
}

/** The diff without its file names. */
const bodyOf = (unified: string): string => unified.slice(Math.max(0, unified.indexOf('@@')))
