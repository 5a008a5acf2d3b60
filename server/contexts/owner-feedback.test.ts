import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { estimateTokens } from '#server/ports/agent-executor.ts'
import { AGENT, noteOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { assembleContext } from './assemble-context.ts'

let kit: NewKit
beforeAll(async () => {
  kit = await newKit()
})
afterAll(() => kit.end())

/** Made in the order of the list; decided so many minutes ago. */
async function reject(rows: [name: string, minutes: number, note: string | null][]): Promise<void> {
  for (const [name, minutes, note] of rows) {
    const origin = { agentSlug: 'gardener', safeOutputs: ['propose-note'] }
    const { proposal_id } = await propose(kit, noteOf(`${name}.md`, 'x\n'), AGENT, origin)
    await kit.db.query(sql`UPDATE proposal SET status = 'REJECTED', decided_by = 'owner', decision_note = ${note},
      decided_at = clock_timestamp() - make_interval(mins => ${minutes}) WHERE proposal_id = ${proposal_id}`)
  }
}
const REQUEST = {
  agent_slug: 'gardener',
  mode: 'basic' as const,
  definition: { slug: 'gardener' },
  definitionTokens: 10,
  sources: [],
  fragments: [],
  budget: 1_000,
}
const fed = async () => {
  const { snapshot } = await assembleContext(kit.db, REQUEST)
  return snapshot.feedback.map((entry) => (entry as { target: string }).target)
}

it("tells the owner's last words first, by when she decided, and stops where the tokens end", async () => {
  await reject([
    ['made first', 1, 'decided last'],
    ['silent', 2, null],
    ['made last', 5, 'decided before'],
  ])
  expect(await fed()).toEqual(['notes/made first.md', 'notes/made last.md'])
  await reject([['long', 3, 'much '.repeat(1_000)]])
  expect(await fed()).toEqual(['notes/made first.md'])
})

it('counts definition and feedback as what is never cut, and says what was', async () => {
  const text = 'x'.repeat(4_000)
  const { snapshot, key, sha256 } = await assembleContext(kit.db, {
    ...REQUEST,
    sources: [{ ref: 'a.md', revision: 'r', text }],
    fragments: [{ ref: 'b.md', revision: 'r', text: 'near', score: 1 }],
  })
  expect(snapshot.dropped).toMatchObject([
    { kind: 'fragment', ref: 'b.md', reason: 'budget' },
    { kind: 'source', ref: 'a.md', tokens: 1_000 },
  ])
  const fixed = REQUEST.definitionTokens + estimateTokens(JSON.stringify(snapshot.feedback))
  expect(snapshot.totals).toEqual({ tokens: fixed, budget: 1_000, layer1_tokens: 0 })
  expect(key).toContain(sha256)
})
