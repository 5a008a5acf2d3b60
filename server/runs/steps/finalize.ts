import { runMachine } from '#domain/run/run.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { makeManifest } from '../finish-run.ts'

/**
 * Step 04: the manifest of the run as it ends now (contract page 03, section 8.2). It is fixed with the checkpoint; the object
 * is written from there, so a try that was lost leaves nothing.
 */
export async function finalize(db: Db, runId: string) {
  const { manifest } = await makeManifest(db, runId, runMachine.events.complete.to, null)
  return {
    manifest,
    output: {
      manifest_sha256: sha256Hex(JSON.stringify(manifest)),
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
