import type { EditInput } from '#contracts/proposal.contract.ts'
import { leftOut } from '#domain/proposal/hunks.rules.ts'
import { type EditedChange, linesWritten } from './edited-changes.ts'

/** What the agent is told of a file that was not taken as proposed ([contexts#assembly]). */
export type ToldEdit = {
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

/** Characters of one diff that are told; the rest is in the proposal. */
const MOST = 600
const cut = (diff: string): string => (diff.length > MOST ? `${diff.slice(0, MOST)}…` : diff)
/** Hunks of one file that are told. */
const MOST_HUNKS = 8

/** What the entry keeps for the agent, and what the audit keeps. */
export function editFacts(
  edited: readonly EditedChange[],
  { remainder, note }: { remainder: EditInput['remainder']; note: string | null },
): { told: ToldEdit; recorded: Record<string, unknown> } {
  const told = edited
    .map((one) => {
      const out = leftOut(one.hunks, one.accepted)
      return {
        path: one.change.path,
        of: one.hunks.length,
        left_out: out.slice(0, MOST_HUNKS).map((n) => ({
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
    told: { remainder, note, changes: told },
    recorded: { hunks, remainder, ...(note === null ? {} : { note }) },
  }
}

/** The diff without its file names. */
const bodyOf = (unified: string): string => unified.slice(Math.max(0, unified.indexOf('@@')))
