import { z } from 'zod'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { RERUN_REASON } from '#domain/run/rerun.rules.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { PARAM_CHARS } from '#domain/run/run.rules.ts'

/** What one may ask of runs: one of them, a new one, a cancel, a rerun; and what a command answers. */
const runStatus = z.enum(runMachine.states)

export const runIdInput = z.object({ run_id: z.string().regex(PATTERNS.run) }).strict()
/** A file of a run, as its `download_url` names it. */
export const runFileInput = runIdInput
  .extend({ file: z.string().regex(/^art-[0-9a-f-]{36}\.json$/) })
  .strict()
export const runStepInput = runIdInput.extend({ step: z.coerce.number().int().min(1).max(4) }).strict()

const paramText = z.string().max(PARAM_CHARS)
/** Params of a run: flat, small, plain. Agents of the demo garden read `question`. */
export const runParams = z.record(
  z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  z.union([paramText, z.number(), z.boolean(), z.null(), z.array(paramText).max(50)]),
)
export type RunParams = z.infer<typeof runParams>

const slug = z.string().regex(PATTERNS.slug)
const token = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/)
/** `POST /agents/{slug}/run`: 202 with the run; the same `correlation_id` and body give the same run. */
export const runRequestInput = z
  .object({
    /** The agent: by the address, or as `agent_slug` in the body. Both must be one. */
    slug: slug.optional(),
    agent_slug: slug.optional(),
    params: runParams.default({}),
    priority: z.enum(['normal', 'high']).default('normal'),
    correlation_id: token.optional(),
  })
  .strict()
  .refine((run) => agentOf(run) !== undefined, { path: ['agent_slug'], message: 'must name the agent, once' })
export type RunRequestInput = z.infer<typeof runRequestInput>
/** The agent that a request names; undefined where it names none, or two. */
export const agentOf = ({ slug, agent_slug = slug }: { slug?: string; agent_slug?: string }) =>
  slug === undefined || slug === agent_slug ? agent_slug : undefined
export const runRequested = z.object({
  run_id: z.string(),
  inbox_id: z.string(),
  status: runStatus,
  unchanged: z.boolean(),
})
export type RunRequested = z.infer<typeof runRequested>

export const runCancelInput = runIdInput.extend({ reason: z.string().trim().min(1).max(1_000) }).strict()
export type RunCancelInput = z.infer<typeof runCancelInput>
export const runCancelled = z.object({
  run_id: z.string(),
  status: runStatus,
  /** True while a running run has yet to reach its next safe point (≤ 5 s). */
  cancel_requested: z.boolean(),
  unchanged: z.boolean(),
})
export type RunCancelled = z.infer<typeof runCancelled>

/** `POST /runs/{run_id}/rerun`: a new run that copies the steps below `from_step`; the same `correlation_id` and body give the same run. */
export const runRerunInput = runIdInput
  .extend({
    from_step: z.number().int().min(1).max(3),
    /** Only with step 1; else the parameters stay. */
    params: runParams.optional(),
    reason: z.string().trim().min(RERUN_REASON.min).max(RERUN_REASON.max),
    correlation_id: token.optional(),
  })
  .strict()
export type RunRerunInput = z.infer<typeof runRerunInput>
