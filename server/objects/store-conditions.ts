import type { ObjectStore, ProbeReport } from '#server/ports/object-store.ts'

/**
 * What the last probe of the object store found [adapters#probe].
 *
 * Leadership, push lock and push are refused on a store that fails it, everywhere with the sentence in `refusal`. Each
 * process keeps a report of its own: unknown → fit | unfit | undecided, and each probe decides anew. `undecided`: the store
 * failed no check, and did not answer one or refused to run it.
 */
export type Verdict = 'fit' | 'unfit' | 'undecided'
export type ConditionsReport = ProbeReport & {
  probedAt: Date
  verdict: Verdict
  /** `null` when the store is fit; else one sentence with the names of the checks that failed or could not be run. */
  refusal: string | null
}

export type StoreConditions = {
  /** The last report; `null` before the first probe has ended. */
  last(): ConditionsReport | null
  /** Probes now; calls that come while a probe is under way share it. Never throws: a store that does not answer is undecided. */
  probe(): Promise<ConditionsReport>
  /** The last report when it found the store fit, otherwise a new one: a store that was repaired is not refused any longer. */
  ensure(): Promise<ConditionsReport>
}

/** What a probe says of the store; `refusal` is the sentence in which every refusal of this store is told. */
export function judge({ checks }: ProbeReport): { verdict: Verdict; refusal: string | null } {
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

export function createStoreConditions(store: Pick<ObjectStore, 'probe'>, now: () => Date): StoreConditions {
  let last: ConditionsReport | null = null
  let underWay: Promise<ConditionsReport> | null = null
  const probe = async () => {
    const report = await store.probe()
    last = { ...report, probedAt: now(), ...judge(report) }
    return last
  }
  const shared = () => {
    underWay ??= probe().finally(() => {
      underWay = null
    })
    return underWay
  }
  return {
    last: () => last,
    probe: shared,
    ensure: async () => (last?.refusal === null ? last : await shared()),
  }
}
