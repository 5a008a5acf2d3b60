import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runFolder } from './run-ids.ts'
import { readSteps } from './run-row.ts'
import { ask, type Harness, openHarness, patiently, status, storedObject, until } from './testing/harness.ts'
import { noteProposal, outputOf } from './testing/run-kit.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let h: Harness
beforeEach(async () => {
  h = await openHarness(['scout'])
})
afterEach(() => h.close())

describe('a run from request to its end', () => {
  test('waits while its agent has submitted as much as it may, and loses no output', async () => {
    const proposals = ['One', 'Two', 'Three'].map((name) => noteProposal(name, `${name}\n`))
    const worker = await h.worker({ rate: 2, execute: async () => outputOf({ proposals }) })
    const runId = await ask(h.kit, 'scout')
    const refused = async () =>
      (
        await h.kit.db.query(
          sql`SELECT 1 FROM event WHERE name = 'access.refused' AND error_code = 'RATE_LIMITED'`,
        )
      ).rowCount
    const ended = until(worker, runId, status('completed'))
    await patiently(refused)
    expect((await h.kit.db.query(sql`SELECT 1 FROM inbox_entry WHERE run_id = ${runId}`)).rows).toHaveLength(
      2,
    )
    await h.kit.db.query(sql`UPDATE rate_slice SET slice = slice - interval '61 seconds'`)
    const run = await ended
    expect(run.retries_used).toBe(0)
    const manifest = await storedObject(h.kit, 'scout', runId, 'manifest.json')
    expect(manifest).toMatchObject({ proposals_created: 3, error: null })
  })

  test('goes through four steps, waits for its Job, and leaves its objects', async () => {
    const runId = await ask(h.kit, 'scout')
    const run = await until(h, runId, status('completed'))
    const shown = await patiently(async () => {
      const object = await storedObject(h.kit, 'scout', runId, 'status.json')
      return object?.status === 'completed' ? object : null
    })
    const steps = await readSteps(h.kit.db, runId)
    expect(steps.map((s) => s.status)).toEqual(Array(4).fill('completed'))
    const manifest = await storedObject(h.kit, 'scout', runId, 'manifest.json')
    expect(manifest).toMatchObject({ status: 'completed', proposals_created: 2, steps_count: 4, error: null })
    const { keys } = await h.kit.store.list(`${runFolder('scout', runId)}/`)
    expect(keys.map((k) => k.split('/').slice(4).join('/'))).toEqual([
      'manifest.json',
      'output/proposal.json',
      'status.json',
      'steps/01-load-context.json',
      'steps/02-execute-agent.json',
      'steps/03-persist-results.json',
      'steps/04-finalize.json',
    ])
    expect(shown).toMatchObject({ steps_completed: 4, revision: run.revision, writer: 'orchestration-layer' })
    expect(run.finished_at?.toISOString()).toBe(manifest?.finished_at)
    const stepThree = await storedObject(h.kit, 'scout', runId, 'steps/03-persist-results.json')
    expect(stepThree?.output_digest).toBe(steps[2]?.output_digest)
    expect(run.lease_holder).toBeNull()
    for (const id of (manifest?.proposal_ids ?? []) as string[]) {
      expect(await h.kit.store.get(`proposals/${id}.json`)).not.toBeNull()
    }
  })
})
