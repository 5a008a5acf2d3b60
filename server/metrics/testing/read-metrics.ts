/**
 * Reads the Prometheus text format as strictly as it is written down (prometheus.io, exposition formats, 0.0.4): each family has its HELP and
 * TYPE first and its samples together, no series stands twice, and a histogram's buckets grow up to +Inf, which is its count.
 */
export type Sample = { name: string; labels: Record<string, string>; value: number }
export type Family = { name: string; type: string; samples: Sample[] }

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? ([-+]?(?:\\d+(?:\\.\\d+)?(?:e[-+]?\\d+)?|Inf)|NaN)$`,
)
const HEAD = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`)
const SUFFIXES = ['_bucket', '_sum', '_count']

/** The families by name; throws at the first line that is not of the format. */
export function readMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, Family>()
  let help = ''
  let family: Family | undefined
  for (const line of text.split('\n').filter(Boolean)) {
    const [, kind, name = '', rest = ''] = HEAD.exec(line) ?? []
    if (kind === 'HELP') help = name
    else if (kind === 'TYPE') {
      if (help !== name || families.has(name)) throw new Error(`out of place: ${line}`)
      if (!['counter', 'gauge', 'histogram'].includes(rest)) throw new Error(`no such type: ${line}`)
      family = { name, type: rest, samples: [] }
      families.set(name, family)
    } else family?.samples.push(sampleOf(line, family))
  }
  for (const read of families.values()) checkFamily(read)
  return families
}

function sampleOf(line: string, { name, type }: Family): Sample {
  const [, series = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
  const expected = type === 'histogram' ? SUFFIXES.map((suffix) => name + suffix) : [name]
  if (!expected.includes(series)) throw new Error(`not a sample of ${name}: ${line}`)
  const pairs = [...labels.matchAll(new RegExp(LABEL, 'g'))].map(([pair]) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), JSON.parse(pair.slice(at + 1))]
  })
  return { name: series, labels: Object.fromEntries(pairs), value: Number(value.replace('Inf', 'Infinity')) }
}

function checkFamily({ name, type, samples }: Family): void {
  const series = samples.map((sample) => `${sample.name} ${keyOf(sample.labels)}`)
  if (new Set(series).size !== series.length) throw new Error(`${name}: a series stands twice`)
  if (samples.some(({ value }) => Number.isNaN(value) || (type !== 'gauge' && value < 0)))
    throw new Error(`${name}: not a number of this type`)
  if (type !== 'histogram') return
  const sets = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => keyOf(labels))
  for (const set of sets.values()) checkHistogram(name, set)
}

function checkHistogram(name: string, set: readonly Sample[]): void {
  const buckets = set.filter((sample) => sample.name.endsWith('_bucket'))
  const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')))
  const grows = (values: readonly number[]) =>
    values.every((value, n) => n === 0 || value >= (values[n - 1] ?? 0))
  const count = set.find((sample) => sample.name.endsWith('_count'))?.value
  const whole = bounds.at(-1) === Number.POSITIVE_INFINITY && buckets.at(-1)?.value === count
  const sums = set.filter((sample) => sample.name.endsWith('_sum')).length
  if (!whole || sums !== 1 || !grows(bounds) || !grows(buckets.map(({ value }) => value)))
    throw new Error(`${name}: not a histogram`)
}

const keyOf = (labels: Record<string, string>): string => JSON.stringify(Object.entries(labels).sort())

/** A family as one number: the sum of its values, or of what a histogram has counted. */
export const amountOf = (family: Family | undefined): number =>
  (family?.samples ?? [])
    .filter(({ name }) => name === family?.name || name.endsWith('_count'))
    .reduce((sum, { value }) => sum + value, 0)
