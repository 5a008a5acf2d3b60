/**
 * What the readings of this moment make of the alerts that stand: pure, so that every rule is a row of a test ([alerts#rules]).
 *
 * All conditions of a rule that concern one resource share one alert. It opens with the gravest condition that asks for it, grows graver and
 * never milder while it stands, and closes when every one of its conditions lets it. A resource that is no longer read lets go as well: the
 * facts always speak of the resources of standing alerts that still exist.
 */
import type { Limit, Severity } from './condition.ts'
import { CONDITIONS, type ConditionName, conditionOf, type RuleName } from './conditions.ts'

/** The length of the note with which a person acknowledges an alert. */
export const NOTE_MIN = 3
export const NOTE_MAX = 1_000

/** What was measured of one resource. */
export type Reading = {
  condition: ConditionName
  resource: string
  value: number
  /** Of how many cases a share or a percentile speaks. */
  samples?: number
  /** False while more than the value is needed to close: a success that was not seen yet, a time without a new case. */
  settled?: boolean
}

/** Nothing is known of this condition now: its alert stays as it is. */
export type Unknown = { condition: ConditionName; resource: string; value: null }

export type Standing = {
  alert_id: string
  rule: RuleName
  resource: string
  severity: Severity
  condition: ConditionName
}

export type Verdict = Severity | 'stays' | 'closes'

export type Decision =
  | { kind: 'open'; rule: RuleName; severity: Severity; reading: Reading }
  | { kind: 'escalate'; alert: Standing; severity: Severity; reading: Reading }
  | { kind: 'update'; alert: Standing; severity: Severity; reading: Reading }
  /** Without a reading when the resource is gone. */
  | { kind: 'close'; alert: Standing; reading: Reading | null }

/** Whether the value passes the limit. */
export function passes(value: number, [comparison, limit]: Limit): boolean {
  if (comparison === '>') return value > limit
  if (comparison === '>=') return value >= limit
  return comparison === '<' ? value < limit : value <= limit
}

/** What one reading asks for. */
export function judge(reading: Reading | Unknown): Verdict {
  if (reading.value === null) return 'stays'
  const { value } = reading
  const { opens, closes, samples = 0 } = conditionOf(reading.condition)
  const enough = (reading.samples ?? samples) >= samples
  for (const severity of ['critical', 'warning'] as const) {
    const limit = opens[severity]
    if (limit && enough && passes(value, limit)) return severity
  }
  return passes(value, closes) && reading.settled !== false ? 'closes' : 'stays'
}

const RANK: Record<Verdict, number> = { critical: 3, warning: 2, stays: 1, closes: 0 }
const keyOf = (rule: string, resource: string) => `${rule} ${resource}`

/** What is to be done, each alert at most once. The order is that of the readings; what closes comes last. */
export function decide(standing: readonly Standing[], readings: readonly (Reading | Unknown)[]): Decision[] {
  const groups = grouped(readings)
  const known = new Map(standing.map((alert) => [keyOf(alert.rule, alert.resource), alert]))
  const decided = [...groups].flatMap(([key, group]): Decision[] => {
    const decision = ofGroup(known.get(key), group)
    return decision ? [decision] : []
  })
  const gone = standing.filter((alert) => !groups.has(keyOf(alert.rule, alert.resource)))
  return [...decided, ...gone.map((alert): Decision => ({ kind: 'close', alert, reading: null }))]
}

function grouped(readings: readonly (Reading | Unknown)[]): Map<string, (Reading | Unknown)[]> {
  const groups = new Map<string, (Reading | Unknown)[]>()
  for (const reading of readings) {
    const key = keyOf(CONDITIONS[reading.condition].rule, reading.resource)
    groups.set(key, [...(groups.get(key) ?? []), reading])
  }
  return groups
}

function ofGroup(alert: Standing | undefined, group: readonly (Reading | Unknown)[]): Decision | null {
  const verdicts = group.map((reading) => ({ reading, verdict: judge(reading) }))
  const gravest = verdicts.reduce((a, b) => (RANK[b.verdict] > RANK[a.verdict] ? b : a))
  const { reading, verdict } = gravest
  const asks = verdict === 'warning' || verdict === 'critical'
  if (!alert) {
    if (!asks || reading.value === null) return null
    return { kind: 'open', rule: CONDITIONS[reading.condition].rule, severity: verdict, reading }
  }
  if (verdict === 'closes') return { kind: 'close', alert, reading: ownReading(alert, group) }
  if (asks && reading.value !== null) {
    const graver = RANK[verdict] > RANK[alert.severity]
    return {
      kind: graver ? 'escalate' : 'update',
      alert,
      severity: graver ? verdict : alert.severity,
      reading,
    }
  }
  const own = ownReading(alert, group)
  return own ? { kind: 'update', alert, severity: alert.severity, reading: own } : null
}

/** The reading of the condition that the alert is about, so that its last value is of the same thing as its threshold. */
function ownReading(alert: Standing, group: readonly (Reading | Unknown)[]): Reading | null {
  const own = group.find((reading) => reading.condition === alert.condition) ?? group[0]
  return own && own.value !== null ? own : null
}

/** The limit that opens an alert of this severity, or of the next one that the condition has. */
export function thresholdOf(name: ConditionName, severity: Severity): Limit {
  const { opens } = conditionOf(name)
  return (opens[severity] ?? opens.critical ?? opens.warning) as Limit
}
