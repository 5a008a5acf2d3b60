/** How a node stands. The worst of all sections is the report's. */
export const VERDICTS = ['OK', 'DEGRADED', 'ERROR'] as const
export type Verdict = (typeof VERDICTS)[number]

/** One part of the doctor's report: lines for a person, the same facts for a program. */
export type Section = {
  verdict: Verdict
  lines: string[]
  facts: Record<string, unknown>
}

export const worstOf = (verdicts: Verdict[]): Verdict =>
  VERDICTS[Math.max(0, ...verdicts.map((verdict) => VERDICTS.indexOf(verdict)))] ?? 'OK'

/** A line of the report: a name, then the value in its column. */
export const line = (name: string, value: unknown): string => `  ${`${name}:`.padEnd(22)}${String(value)}`

/** Epoch seconds as ISO 8601 UTC; what no clock can show is given as it is. */
export function timeOf(epochSeconds: number): string {
  const date = new Date(epochSeconds * 1000)
  return Number.isNaN(date.getTime()) ? String(epochSeconds) : date.toISOString()
}
