import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DEMO_AGENTS, demoGardenFolder } from '#prisma/seed/demo-garden.ts'
import { createExtractiveExecutor } from '#server/adapters/agent-executor/extractive.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { createExecutorRegistry } from '#server/agents/executor-registry.ts'
import { syncAgents } from '#server/agents/sync-agents.ts'
import { taskOf } from '#server/agents/tools/tasks.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { gardenAt } from '#server/retrieval/garden-index.ts'
import { research } from '#server/retrieval/research-engine.ts'
import { getRun } from './get-run.query.ts'
import { RunSupervisor } from './run-supervisor.ts'
import { traceOf } from './run-trace.ts'
import { ask, status, until } from './testing/harness.ts'
import { completeJob, type Kit, openKit } from './testing/run-kit.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const AUTHOR = { name: 'Garden Bloom', email: 'garden@bloom.invalid' }
let database: TestDatabase
let folder: string
let kit: Kit

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'bloom-demo-runs-'))
  await importGarden(demoGardenFolder(), join(folder, 'garden.git'), { author: AUTHOR })
  kit = {
    ...(await openKit({ url: database.workerUrl, folder })),
    executors: createExecutorRegistry({ extractive: createExtractiveExecutor(taskOf) }),
  }
  await syncAgents(kit, { trusted: [...DEMO_AGENTS] })
})
afterAll(async () => {
  await kit.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** The Job of the run as the NotebookLM Backend would answer it: by the real engine, over the garden as it is. */
async function answer(jobId: string): Promise<void> {
  const { rows } = await kit.db.query<{ payload: { query: string } }>(
    sql`SELECT payload FROM job WHERE job_id = ${jobId}`,
  )
  const index = await (await gardenAt(kit.garden)).index()
  await completeJob(kit, jobId, research(index, { query: rows[0]?.payload.query ?? '' }))
}

async function runOf(slug: string, params: Record<string, string> = {}) {
  const supervisor = new RunSupervisor(kit, { capacity: 10 })
  const runId = await ask(kit, slug, params)
  await until({ kit, supervisor }, runId, status('completed'), { jobs: answer })
  await supervisor.stop()
  const detail = await getRun(kit, runId)
  if (!detail) throw new Error('no detail')
  return detail
}

type Citation = {
  source: string
  lines: { from: number; to: number }
  quote: string
  source_revision: string
}

describe('the demo agents, without any language model', () => {
  test('the librarian answers in a new note whose every citation is verbatim', async () => {
    const run = await runOf('research-librarian', { question: 'When should tomatoes be watered?' })
    expect(run).toMatchObject({
      engine: { id: 'extractive', model: null },
      jobs: 1,
      proposals: 1,
      proposals_refused: [],
    })
    expect(run.phases.map((p) => p.state)).toEqual(Array(7).fill('done'))
    expect(run.spans.some((s) => s.kind === 'wait' && s.job_id === run.job_list[0]?.job_id)).toBe(true)
    const [job] = run.job_list
    expect(traceOf(run)).toMatchObject({
      agent: 'research-librarian',
      status: 'completed',
      duration_ms: expect.any(Number),
      steps: [1, 2, 3, 4].map((id) => ({ id, status: 'completed' })),
      spans: expect.arrayContaining([
        expect.objectContaining({ kind: 'wait', parent: 'step-2', attrs: { job_id: job?.job_id } }),
        expect.objectContaining({ id: 'step-1', kind: 'work', attrs: {} }),
      ]),
      jobs: [job?.job_id],
      proposals_created: [run.proposals_created[0]?.proposal_id],
    })
    const { rows } = await kit.db.query<{ citations: Citation[]; tainted: boolean }>(
      sql`SELECT citations, tainted FROM proposal WHERE run_id = ${run.run_id}`,
    )
    expect(rows[0]?.tainted).toBe(true)
    expect(rows[0]?.citations.length).toBeGreaterThan(0)
    for (const { source, lines, quote, source_revision } of rows[0]?.citations ?? []) {
      const file = await kit.garden.read(source, source_revision)
      const cited = file?.text
        .split('\n')
        .slice(lines.from - 1, lines.to)
        .join('\n')
      expect(cited, source).toContain(quote)
    }
  })

  test.each(['link-gardener', 'orphan-scout'])('%s proposes what the garden needs', async (slug) => {
    const run = await runOf(slug)
    expect(run.proposals).toBeGreaterThan(0)
    expect(run.proposals_refused).toEqual([])
    expect(run.calls.every((c) => c.ok)).toBe(true)
  })
})
