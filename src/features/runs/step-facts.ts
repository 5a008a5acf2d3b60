/**
 * What a step of a run has made, as facts with numbers, read from its stored output. The output belongs to the step that wrote it,
 * perhaps of an older version, so whatever is not found in it is left out.
 */
import type { RunStepView } from '#contracts/run.contract.ts'

export const STEP_FACTS = [
  'sources',
  'passages',
  'leftOut',
  'tokens',
  'calls',
  'drafted',
  'claims',
  'created',
  'reused',
  'refused',
  'proposals',
  'jobs',
  'artifacts',
] as const
export type StepFact = { fact: (typeof STEP_FACTS)[number]; n: number; total?: number }

type Json = Record<string, unknown>

const objectIn = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {}

/** A number, or how many a list has; undefined for anything else. */
const countIn = (value: unknown): number | undefined =>
  Array.isArray(value) ? value.length : typeof value === 'number' ? value : undefined

type Source = [fact: StepFact['fact'], value: unknown, mayBeNone?: boolean]

/** Facts of what is there; zero is said only where it tells something. */
const factsOf = (...sources: Source[]): StepFact[] =>
  sources.flatMap(([fact, value, mayBeNone]) => {
    const n = countIn(value)
    return n === undefined || (n === 0 && !mayBeNone) ? [] : [{ fact, n }]
  })

const READ: Record<number, (output: Json) => StepFact[]> = {
  1: (o) =>
    factsOf(
      ['sources', o.sources],
      ['passages', o.fragments, true],
      ['leftOut', o.dropped],
      ['tokens', o.total_tokens],
    ),
  2: (o) => {
    const { claims, grounded_claims: grounded } = objectIn(o.grounding)
    const facts = factsOf(['calls', o.tool_calls], ['drafted', o.proposals, true])
    if (typeof claims === 'number' && claims > 0 && typeof grounded === 'number')
      facts.push({ fact: 'claims', n: grounded, total: claims })
    return facts
  },
  3: (o) => factsOf(['created', o.created, true], ['reused', o.reused], ['refused', o.refused]),
  4: (o) => {
    const totals = objectIn(o.totals)
    return factsOf(
      ['proposals', totals.proposals, true],
      ['jobs', totals.jobs],
      ['artifacts', totals.artifacts],
    )
  },
}

/** The facts of a step in the order in which they are read out; none for a step without output. */
export function stepFacts({ step, output }: Pick<RunStepView, 'step' | 'output'>): StepFact[] {
  return READ[step]?.(objectIn(output)) ?? []
}
