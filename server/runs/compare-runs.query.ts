/** Two runs of one agent side by side ([runs#comparing]), from the ledger; the rules of what is alike are the domain's. */
import type {
  ComparedDraft,
  RunCompareInput,
  RunComparison,
  RunSide,
} from '#contracts/run-comparison.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import {
  compareContexts,
  comparedOutput,
  type Difference,
  firstDifference,
  pairDrafts,
} from '#domain/run/compare.rules.ts'
import { rowOf, rowsOf } from '#server/ledger/rows.ts'
import type { ProposedChange } from '#server/ports/agent-executor.ts'
import type { Services } from '#server/services.ts'
import { proposalIdOf } from './run-ids.ts'
import { executorOf, jsonDigest } from './run-objects.ts'
import type { RunRow, StepRow } from './run-row.ts'
import { runView, stepViews } from './run-view.ts'

type Loaded = { run: RunRow; steps: StepRow[] }
type Json = Record<string, unknown>

/** 404 where one is not there, 422 where they are runs of different agents. */
export async function compareRuns(
  { reads }: Pick<Services, 'reads'>,
  input: RunCompareInput,
): Promise<Result<RunComparison>> {
  const load = async (run_id: string): Promise<Loaded | null> => {
    const found = await reads.run.findUnique({
      where: { run_id },
      include: { steps: { orderBy: { step: 'asc' } } },
    })
    if (!found) return null
    const { steps, ...run } = found
    return { run: rowOf('run', run), steps: rowsOf('run_step', steps) }
  }
  const [a, b] = await Promise.all([load(input.a), load(input.b)])
  if (!a || !b) return refuse({ code: 'NOT_FOUND', message: `There is no run ${a ? input.b : input.a}.` })
  if (a.run.agent_slug !== b.run.agent_slug) {
    const message = `These are runs of ${a.run.agent_slug} and of ${b.run.agent_slug}; only runs of one agent can be compared.`
    return refuse({ code: 'VALIDATION_FAILED', message, details: [{ field: 'b', message }] })
  }
  return ok(comparisonOf(a, b))
}

function comparisonOf(a: Loaded, b: Loaded): RunComparison {
  const params = comparedParams(a.run.params, b.run.params)
  const steps = comparedSteps(a, b)
  return {
    a: sideOf(a),
    b: sideOf(b),
    params,
    context: compareContexts(outputOf(a, 1), outputOf(b, 1)),
    steps,
    proposals: pairDrafts(draftsOf(a), draftsOf(b)),
    first_difference: firstOf(a, b, steps),
  }
}

const outputOf = ({ steps }: Loaded, n: number): Json => steps.find((s) => s.step === n)?.output ?? {}

function sideOf(loaded: Loaded): RunSide {
  const { run } = loaded
  const { total_tokens } = outputOf(loaded, 1)
  const usage = (outputOf(loaded, 2).usage ?? { input: 0, output: 0 }) as { input: number; output: number }
  return {
    ...runView(run, { proposals: 0, jobs: 0, artifacts: 0 }),
    definition_sha256: run.definition_sha256,
    tokens: total_tokens === undefined ? null : { context: Number(total_tokens), ...usage },
  }
}

function comparedParams(a: Json, b: Json): RunComparison['params'] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].sort().map((name) => {
    const state = !(name in b)
      ? 'left'
      : !(name in a)
        ? 'right'
        : firstDifference(a[name], b[name])
          ? 'changed'
          : 'same'
    return { name, state, a: a[name] ?? null, b: b[name] ?? null }
  })
}

function comparedSteps(a: Loaded, b: Loaded): RunComparison['steps'] {
  const [left, right] = [stepViews(a.run, a.steps), stepViews(b.run, b.steps)]
  return left.flatMap((view, i) => {
    const other = right[i]
    if (!other) return []
    const { step, name } = view
    const [x, y] = [comparedOutput(step, view.output), comparedOutput(step, other.output)]
    return [
      {
        step,
        name,
        a: { ...view, compared: x },
        b: { ...other, compared: y },
        first_difference: firstDifference(x, y),
      },
    ]
  })
}

/** What step 02 drafted, with what step 03 made of each. */
function draftsOf(loaded: Loaded): ComparedDraft[] {
  const executed = loaded.steps.find((s) => s.step === 2)
  const drafts = (executed?.output?.proposals ?? []) as ProposedChange[]
  const {
    created = [],
    reused = [],
    refused = [],
  } = outputOf(loaded, 3) as {
    created?: { proposal_id: string }[]
    reused?: string[]
    refused?: { index: number; code: string }[]
  }
  const made = new Set([...created.map((c) => c.proposal_id), ...reused])
  return drafts.map((change, index) => {
    const { action, kind, target, diff, changes, add, remove, summary } = change
    const id = proposalIdOf(executorOf(loaded.run, executed), index)
    return {
      target,
      digest: jsonDigest({ action, kind, target, diff, changes, add, remove }),
      action,
      summary,
      text: textOf(change),
      proposal_id: made.has(id) ? id : null,
      refused: refused.find((r) => r.index === index)?.code ?? null,
    }
  })
}

/** The change as a person reads it: the new text, the unified diff, or the tags. */
function textOf({ action, diff, changes, add = [], remove = [] }: ProposedChange): string {
  if (action === 'propose-tag')
    return [...add.map((tag) => `+${tag}`), ...remove.map((tag) => `-${tag}`)].join('\n')
  const read = (one: ProposedChange['diff']): string =>
    one === undefined ? '' : 'unified' in one ? one.unified : 'text' in one ? one.text : ''
  return changes ? changes.map((c) => `${c.path}\n${read(c.diff)}`).join('\n') : read(diff)
}

function firstOf(a: Loaded, b: Loaded, steps: RunComparison['steps']): RunComparison['first_difference'] {
  const given = firstDifference(a.run.params, b.run.params)
  if (given) return { ...given, part: 'params', step: null }
  const [x, y] = [a.run.definition_sha256, b.run.definition_sha256]
  if (x !== y) return { path: '', a: x, b: y, part: 'definition', step: null }
  const step = steps.find((s) => s.first_difference)
  return step ? { ...(step.first_difference as Difference), part: 'step', step: step.step } : null
}
