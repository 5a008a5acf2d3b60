import type { ObjectStore, ProbeReport } from '#server/ports/object-store.ts'
import { type Verdict, verdictOf } from '#server/ports/probe-verdict.ts'

/**
 * What the last probe of the object store found [adapters#probe].
 *
 * Leadership, push lock and push are refused on a store that fails it, everywhere with the sentence in `refusal`. Each
 * process keeps a report of its own: unknown → fit | unfit | undecided, and each probe decides anew. `undecided`: the store
 * failed no check, and did not answer one or refused to run it.
 */
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

export function createStoreConditions(store: Pick<ObjectStore, 'probe'>, now: () => Date): StoreConditions {
  let last: ConditionsReport | null = null
  let underWay: Promise<ConditionsReport> | null = null
  const probe = async () => {
    const report = await store.probe()
    last = { ...report, probedAt: now(), ...verdictOf(report) }
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
