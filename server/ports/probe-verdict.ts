import type { ProbeReport } from './object-store.ts'

/** What a probe says of a store. `undecided`: it failed no check, and did not answer one or refused to run it. */
export type Verdict = 'fit' | 'unfit' | 'undecided'

/** `refusal` is the sentence in which every refusal of this store is told, by the console and by nodes; `null` when the store is fit. */
export function verdictOf({ checks }: Pick<ProbeReport, 'checks'>): {
  verdict: Verdict
  refusal: string | null
} {
  const failed = checks.filter((check) => !check.ok && !check.undecided).map((check) => check.name)
  if (failed.length > 0)
    return {
      verdict: 'unfit',
      refusal: `The object store does not keep conditional writes: ${failed.join('; ')}.`,
    }
  const open = checks.find((check) => check.undecided)
  if (!open) return { verdict: 'fit', refusal: null }
  const answer = open.undecided === 'refused' ? 'refused' : 'did not answer'
  return {
    verdict: 'undecided',
    refusal: `The object store ${answer} the check of its conditional writes: ${open.name}.`,
  }
}
