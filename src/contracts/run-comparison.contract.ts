import { z } from 'zod'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { runRow, runStepView } from './run.contract.ts'

/** Two runs of one agent side by side ([runs#comparing]); `a` stands left, `b` right. */
const runId = z.string().regex(PATTERNS.run)
export const runCompareInput = z.object({ a: runId, b: runId }).strict()
export type RunCompareInput = z.infer<typeof runCompareInput>

const side = runRow
  .pick({
    run_id: true,
    status: true,
    agent_slug: true,
    agent_version: true,
    trigger: true,
    title: true,
    replay_of: true,
    from_step: true,
    requested_at: true,
    started_at: true,
    finished_at: true,
  })
  .extend({
    definition_sha256: z.string().nullable(),
    tokens: z.object({ context: z.number(), input: z.number(), output: z.number() }).nullable(),
  })
export type RunSide = z.infer<typeof side>

const COMPARED_STATES = ['same', 'changed', 'left', 'right'] as const
const compared = z.enum(COMPARED_STATES)
export type ComparedState = z.infer<typeof compared>

const difference = z.object({ path: z.string(), a: z.unknown(), b: z.unknown() })

const stepSide = runStepView
  .pick({ status: true, duration_ms: true, executed_by_run: true, output_digest: true })
  .extend({
    /** The output without the ids and times of its own execution; null while there is none. */
    compared: z.record(z.string(), z.unknown()).nullable(),
  })
const comparedStep = z.object({
  step: z.number(),
  name: z.string(),
  a: stepSide,
  b: stepSide,
  first_difference: difference.nullable(),
})
export type ComparedStep = z.infer<typeof comparedStep>

/** What the agent drafted in step 02, and what became of it: a proposal, or a refusal. */
const draft = z.object({
  target: z.string(),
  digest: z.string(),
  action: z.string(),
  summary: z.string(),
  text: z.string(),
  proposal_id: z.string().nullable(),
  refused: z.string().nullable(),
})
export type ComparedDraft = z.infer<typeof draft>

export const runComparison = z.object({
  a: side,
  b: side,
  params: z.array(z.object({ name: z.string(), state: compared, a: z.unknown(), b: z.unknown() })),
  context: z.array(
    z.object({
      part: z.enum(['source', 'fragment', 'dropped']),
      name: z.string(),
      state: compared,
      tokens: z.object({ a: z.number().nullable(), b: z.number().nullable() }),
    }),
  ),
  steps: z.array(comparedStep),
  proposals: z.array(z.object({ state: compared, a: draft.nullable(), b: draft.nullable() })),
  /** Where they part, in the order in which a run proceeds; null where they are alike. */
  first_difference: difference
    .extend({ part: z.enum(['params', 'definition', 'step']), step: z.number().nullable() })
    .nullable(),
})
export type RunComparison = z.infer<typeof runComparison>
