import sql, { type Sql } from 'sql-template-tag'
import type { StepNumber } from '#domain/run/retry.rules.ts'
import { COMPLETED } from '#domain/run/run.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { makeManifest } from '../finish-run.ts'
import { executorOf, jsonDigest } from '../run-objects.ts'
import type { RunParts, StepLease } from '../run-parts.ts'
import type { RunRow, StepRow } from '../run-row.ts'
import { type ContextOutput, contextOutput, executeAgent, pinnedDefinition } from './execute-agent.ts'
import { loadContext } from './load-context.ts'
import { type Execution, persistResults } from './persist-results.ts'

/** What a step gives: its output; step 04 also the manifest that the run will end with. */
export type StepResult = { output: Record<string, unknown>; manifest?: Record<string, unknown> }

/** Columns of the run that a step's checkpoint fixes, over the row `t`. */
export function checkpointColumns(step: StepNumber, { output, manifest }: StepResult): Sql | undefined {
  if (step === 1) {
    const { version, sha256 } = output.definition as ContextOutput['definition']
    return sql`agent_version = ${version}, definition_sha256 = ${sha256}`
  }
  if (step === 2) return sql`summary = ${String(output.summary)}`
  return step === 4 ? sql`totals = t.totals || ${json({ manifest })}` : undefined
}

/** The work of each step, free of leases, limits and retries. */
export async function performStep(
  parts: RunParts,
  lease: StepLease,
  run: RunRow,
  step: StepNumber,
  steps: readonly StepRow[],
): Promise<StepResult> {
  if (step === 1) return { output: await loadContext(parts, run) }
  if (step === 4) return finalize(parts.db, run.run_id)
  const loaded = contextOutput(steps)
  if (step === 2) return { output: await executeAgent(parts, lease, run, loaded) }
  const definition = { ...(await pinnedDefinition(parts, run, loaded)), revision: loaded.definition.revision }
  const executed = steps.find((s) => s.step === 2)
  const execution = { ...executed?.output, runId: executorOf(run, executed) } as Execution
  return { output: await persistResults(parts, run, definition, execution, lease.signal) }
}

/**
 * Step 04: the manifest of the run as it ends now. It is fixed with the checkpoint and the object is written from there, so an attempt
 * that was lost leaves nothing.
 */
async function finalize(db: Db, runId: string): Promise<StepResult> {
  const { manifest } = await makeManifest(db, runId, COMPLETED, null)
  return {
    manifest,
    output: {
      manifest_sha256: jsonDigest(manifest),
      totals: {
        proposals: manifest.proposals_created,
        jobs: (manifest.jobs as unknown[]).length,
        artifacts: (manifest.artifacts as unknown[]).length,
        context_tokens: manifest.context_tokens,
        tokens_used: manifest.tokens_used,
        duration_ms: manifest.duration_ms,
        wait_ms: manifest.wait_ms,
      },
    },
  }
}
