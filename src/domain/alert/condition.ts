/** What a condition of an alert rule is made of ([alerts#rules]). */
export const SEVERITIES = ['warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

/** How a value is read: a number of things, a share of 1, seconds, failures in a row, a multiple of the error budget. */
export type Unit = 'count' | 'share' | 'seconds' | 'in_a_row' | 'budget'

type Comparison = '>' | '>=' | '<' | '<='
export type Limit = readonly [Comparison, number]

export type Condition = {
  readonly rule: string
  readonly unit: Unit
  readonly opens: Readonly<Partial<Record<Severity, Limit>>>
  readonly closes: Limit
  /** Below this many samples a value opens nothing. */
  readonly samples?: number
}
