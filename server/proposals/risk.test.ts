import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import { getProposal } from './get-proposal.query.ts'
import { keepReviewOrder } from './keep-review-order.ts'
import { listProposals } from './list-proposals.query.ts'
import { proposalCommands } from './testing/commands.ts'
import { AGENT, approve, editOf, humanCommit, noteOf, OWNER, propose } from './testing/garden-kit.ts'
import { type NewKit, newKit } from './testing/new-kit.ts'
import { trackRecord } from './track-record.query.ts'

let kit: NewKit
beforeAll(async () => {
  kit = await newKit({ holdSeconds: 10 })
})
afterAll(() => kit.end())

const riskOf = async (id: string) => {
  const view = await getProposal(kit.services, id, 'owner')
  return view.ok ? view.value.risk : null
}
const listed = async () => {
  const { items } = await listProposals(kit.services, proposalFilter.parse({ sort: 'to_decide' }), 'owner')
  return items.map(({ proposal_id, risk }) => ({ proposal_id, risk }))
}
/** Proposed by an agent in this version, with a quotation of this note. */
const byAgent = (name: string, quote: string) =>
  propose(
    kit,
    {
      intent: {
        action: 'propose-note',
        target: `notes/${name}.md`,
        payload: {
          kind: 'note',
          text: `${name}: ${quote}\n`,
          summary: name,
          citations: [
            { source: 'notes/Beds/South.md', lines: { from: 1, to: 1 }, quote, source_revision: revision },
          ],
        },
      },
    },
    AGENT,
    { agentSlug: 'gardener', agentVersion: '2.0.0', safeOutputs: ['propose-note'] },
  )
let revision = ''

test('the review page and, once looked at, the list give the same risk; the riskier stands first', async () => {
  const plain = await propose(kit, noteOf('Plain.md', 'x\n'))
  const gone = await propose(
    kit,
    editOf('notes/Beds/North.md', { diff: { type: 'delete' }, summary: 'Gone' }),
  )
  expect(await listed()).toEqual([plain, gone].map(({ proposal_id }) => ({ proposal_id, risk: null })))
  await keepReviewOrder(kit.services)
  const risks = await listed()
  expect(risks.map(({ proposal_id }) => proposal_id)).toEqual([gone.proposal_id, plain.proposal_id])
  for (const { proposal_id, risk } of risks) expect(await riskOf(proposal_id)).toEqual(risk)
  expect(risks[0]?.risk).toMatchObject({
    score: 30,
    level: 'medium',
    reasons: [{ code: 'removes_file', count: 1 }],
  })
  expect(risks[1]?.risk).toEqual({ score: 0, level: 'low', reasons: [] })
})

test('it follows the garden', async () => {
  const row = await propose(
    kit,
    editOf('notes/Beds/South.md', {
      diff: { type: 'append', position: 'end', text: 'Basil.' },
      summary: 'Basil',
    }),
  )
  expect(await riskOf(row.proposal_id)).toMatchObject({ reasons: [] })
  await humanCommit(kit, 'Beds/South.md', '# South bed\n\nBy hand.\n')
  expect(await riskOf(row.proposal_id)).toMatchObject({ score: 10, reasons: [{ code: 'drift' }] })
  await keepReviewOrder(kit.services)
  expect((await listed()).find(({ proposal_id }) => proposal_id === row.proposal_id)?.risk?.score).toBe(10)
})

test('an agent is judged by its sources, its version and its past here; what is decided is its track record', async () => {
  revision = await kit.garden.head()
  const codes = async (id: string) => (await riskOf(id))?.reasons.map(({ code, count }) => [code, count])
  const first = await byAgent('Grounded', 'By hand.')
  expect(await codes(first.proposal_id)).toEqual([['new_version', 1]])
  const second = await byAgent('Ungrounded', 'nowhere to be read')
  expect(await codes(second.proposal_id)).toEqual([
    ['ungrounded', 100],
    ['new_version', 1],
  ])
  const again = await byAgent('Ungrounded', 'By  hand.')
  // It was looked at long ago, and the garden has not moved: the decision alone makes the worker look again.
  await keepReviewOrder(kit.services)
  await kit.db.query(
    sql`UPDATE proposal SET updated_at = clock_timestamp() - interval '1 hour' WHERE proposal_id = ${again.proposal_id}`,
  )
  const note = { decision_note: 'not what the source says' }
  await proposalCommands.reject(kit.services, { proposal_id: second.proposal_id, ...note }, OWNER)
  await keepReviewOrder(kit.services)
  expect((await listed()).find(({ proposal_id }) => proposal_id === again.proposal_id)?.risk?.score).toBe(20)
  expect(await codes(again.proposal_id)).toEqual([
    ['new_version', 1],
    ['rejected_before', 1],
  ])
  await approve(kit, first)
  expect(await trackRecord(kit.services, { agent: 'gardener' })).toMatchObject({
    last_20_days: { approved: 1, decided: 2 },
    last_90_days: { approved: 1, decided: 2 },
    latest: [
      { proposal_id: first.proposal_id, approved: true },
      { proposal_id: second.proposal_id, approved: false },
    ],
  })
  await kit.db.query(
    sql`UPDATE proposal SET decided_at = decided_at - interval '30 days' WHERE proposal_id = ${second.proposal_id}`,
  )
  const record = await trackRecord(kit.services, { agent: 'gardener' })
  expect(record.last_20_days).toEqual({ approved: 1, decided: 1 })
  expect(record.last_90_days.decided).toBe(2)
  expect((await trackRecord(kit.services, { agent: 'nobody' })).latest).toEqual([])

  // Nobody rejected what a successor took the place of.
  await kit.db.query(sql`UPDATE proposal SET decided_at = clock_timestamp(), relations = '{"superseded_by": "x"}'
    WHERE proposal_id = ${second.proposal_id}`)
  expect(await codes(again.proposal_id)).toEqual([['new_version', 1]])
  expect(await trackRecord(kit.services, { agent: 'gardener' })).toMatchObject({
    last_90_days: { approved: 1, decided: 1 },
    latest: [{ proposal_id: first.proposal_id }],
  })
  await kit.db.query(sql`UPDATE proposal SET decision_mode = 'rule' WHERE proposal_id = ${first.proposal_id}`)
  expect((await trackRecord(kit.services, { agent: 'gardener' })).latest).toEqual([])
})
