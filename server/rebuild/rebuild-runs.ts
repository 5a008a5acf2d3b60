/** Runs, their steps and the journal of step 02, from `agents/<slug>/runs/<run_id>/` ([rebuild#what-comes-back]). */
import { RUNNING } from '#domain/run/run.rules.ts'
import { inserter, type JsonRow } from './insert-rows.ts'
import { type Document, grouped, objectsBelow, parseDocument, type Read } from './read-objects.ts'
import type { Rebuild } from './rebuild-ledger.ts'

const FOLDER = /^agents\/[^/]+\/runs\/[^/]+\//

export async function rebuildRuns(to: Rebuild): Promise<Record<string, number>> {
  const runs = inserter(to, 'run')
  const parts: Parts[] = []
  const objects = objectsBelow(to, 'agents/', parseDocument, (key) => FOLDER.test(key))
  for await (const { name, objects: of } of grouped(objects, (key) => FOLDER.exec(key)?.[0] ?? '')) {
    const made = runOf(name, of)
    if ('why' in made) {
      to.fault(name, made.why)
      continue
    }
    await runs.add({ key: `${name}status.json`, row: made.run })
    parts.push({ runId: String(made.run.run_id), steps: made.steps })
  }
  const run = await runs.end()
  // A run that could not come back is named once, not with each of its steps.
  const { rows } = await to.client.query<{ run_id: string }>('SELECT run_id FROM run')
  const known = new Set(rows.map((row) => row.run_id))
  return {
    run,
    ...(await rebuildSteps(
      to,
      parts.filter(({ runId }) => known.has(runId)),
    )),
  }
}

type Parts = { runId: string; steps: Read<Document>[] }

function runOf(
  folder: string,
  objects: readonly Read<Document>[],
): { run: JsonRow<'run'>; steps: Read<Document>[] } | { why: string } {
  const named = (name: string) => objects.find(({ key }) => key === `${folder}${name}`)?.value
  const status = named('status.json')
  if (!status) return { why: 'is a run without its status.json' }
  const steps = objects.filter(({ key }) => key.startsWith(`${folder}steps/`))
  return { run: runRow(status, named('manifest.json')), steps }
}

/** A run from its status and its manifest. One that was under way is nobody's: the next scan resumes it. */
export function runRow(status: Document, manifest: Document | undefined): JsonRow<'run'> {
  const { queue_position, cancelled_by, waiting_on, updated_at } = status
  const isWorkedOn = status.status === RUNNING && !waiting_on
  const known = Object.entries({ queue_position, cancelled_by, manifest })
  return {
    definition_sha256: manifest?.definition_sha256,
    priority: 'normal',
    params: {},
    parked_ms: 0,
    ...status,
    lease_expires_at: isWorkedOn ? updated_at : null,
    totals: Object.fromEntries(known.filter(([, value]) => value !== null && value !== undefined)),
  }
}

async function rebuildSteps(to: Rebuild, parts: readonly Parts[]): Promise<Record<string, number>> {
  const steps = inserter(to, 'run_step')
  const calls = inserter(to, 'run_call')
  for (const { runId, steps: objects } of parts) {
    for (const { key, value } of objects) {
      // A step that was taken over is the object of the run which executed it, and so is its journal.
      const copied = value.executed_by_run !== runId
      const executed_by_run = copied ? value.executed_by_run : null
      await steps.add({ key, row: { fence: 0, ...value, run_id: runId, executed_by_run } })
      if (copied) continue
      for (const call of (value.calls ?? []) as Document[])
        await calls.add({ key, row: { run_id: value.run_id, ...call } })
    }
  }
  return { run_step: await steps.end(), run_call: await calls.end() }
}
