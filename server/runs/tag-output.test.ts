import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ProposedChange } from '#server/ports/agent-executor.ts'
import { compareRuns } from './compare-runs.query.ts'
import { ask, type Harness, openHarness, status, until } from './testing/harness.ts'
import { AGENT_FILE, addAgent, outputOf } from './testing/run-kit.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const TAGGER = AGENT_FILE('tagger').replace('[propose-note]', '[propose-tag]')
const NORTH = { path: 'Beds/North.md', content: '---\ntags: [bed, wet]\n---\n# North bed\n' }
let h: Harness
beforeAll(async () => {
  h = await openHarness([], [NORTH, { path: 'agents/tagger/_agent.md', content: TAGGER }])
  await addAgent(h.kit.db, 'tagger')
})
afterAll(() => h.close())

const tagged = (more: Pick<ProposedChange, 'add' | 'remove'>): ProposedChange => ({
  ...{ action: 'propose-tag', target: 'notes/Beds/North.md', ...more },
  ...{ summary: 'The north bed is sunny', reasoning: 'The journal says so.', citations: [] },
})

/** A run of the agent that proposes this. */
async function runOf(change: ProposedChange): Promise<string> {
  const worker = await h.worker({
    execute: async ({ tools }) => {
      await tools['create-proposal'](change)
      return outputOf({ proposals: [change] })
    },
  })
  const runId = await ask(h.kit, 'tagger')
  await until(worker, runId, status('completed'))
  await h.retire(worker)
  return runId
}

test('an agent proposes tags, and two runs are compared by them', async () => {
  const first = await runOf(tagged({ add: ['#sunny'], remove: ['wet'] }))
  const { rows } = await h.kit.db.query<{ changes: object[] }>(
    sql`SELECT action, target_type, agent_slug, status, changes FROM proposal WHERE run_id = ${first}`,
  )
  expect(rows).toMatchObject([
    { action: 'propose-tag', target_type: 'tag', agent_slug: 'tagger', status: 'PENDING' },
  ])
  expect(rows[0]?.changes).toMatchObject([
    { path: 'Beds/North.md', type: 'replace', tags: { add: ['sunny'], remove: ['wet'] } },
  ])
  const second = await runOf(tagged({ add: ['shady'] }))
  const compared = await compareRuns(h.kit, { a: first, b: second })
  if (!compared.ok) throw new Error(compared.refusal.code)
  expect(compared.value.proposals).toMatchObject([
    { state: 'changed', a: { text: '+#sunny\n-wet' }, b: { text: '+shady' } },
  ])
})
