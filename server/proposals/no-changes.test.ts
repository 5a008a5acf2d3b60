/** A proposal that would change nothing is not made; one of an earlier version is shown and counted. Real PostgreSQL, real git, the real Apply Engine. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { dryRun } from '#server/approval-rules/dry-run.ts'
import { contentOf, given, ruleServices } from '#server/approval-rules/testing/rule-kit.ts'
import { revertProposal } from '#server/inbox/revert-proposal.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { alikeProposals } from './alike.query.ts'
import { rejectProposal } from './decide-proposal.ts'
import { keepReviewOrder } from './keep-review-order.ts'
import { listProposals } from './list-proposals.query.ts'
import { normalForm } from './normal-form.ts'
import { previewBatch } from './preview-batch.query.ts'
import { approve, noteOf, OWNER, propose, rowOf } from './testing/garden-kit.ts'
import { type NewKit, newKit } from './testing/new-kit.ts'

let kit: NewKit
beforeAll(async () => {
  kit = await newKit()
})
afterAll(() => kit.end())

const tags = (...add: string[]) => ({
  intent: { action: 'propose-tag' as const, target: 'notes/Beds/South.md', payload: { add } },
})
/** Past the trigger that keeps the content of a proposal. */
async function withoutChanges(id: string): Promise<void> {
  const admin = openDatabase(kit.urls.adminUrl, { connections: 1 })
  await admin.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    await tx.query(sql`UPDATE proposal SET changes = '[]' WHERE proposal_id = ${id}`)
  })
  await admin.close()
}
const proposals = async () => (await kit.db.query(sql`SELECT 1 FROM proposal`)).rows.length

describe('a proposal without changes', () => {
  test('is none', async () => {
    const made = await normalForm(kit.garden, await kit.garden.head(), [])
    expect(made).toMatchObject({ refusal: { code: 'DIFF_INVALID' } })
  })

  test('does not come of the revert of one that changed nothing when it was applied', async () => {
    const [first, second] = [await propose(kit, tags('sunny', 'wet')), await propose(kit, tags('sunny'))]
    for (const row of [first, second]) await approve(kit, row)
    await applyDue(kit.engine())
    const empty = await rowOf(kit, second.proposal_id)
    expect(empty).toMatchObject({ status: 'APPLIED', applied_paths: [] })
    const before = await proposals()
    expect(await revertProposal(kit.services, empty, OWNER)).toMatchObject({
      refusal: { code: 'DIFF_INVALID', message: expect.stringContaining('changed nothing') },
    })
    expect(await proposals()).toBe(before)
    expect(await revertProposal(kit.services, first, OWNER)).toMatchObject({ ok: true })
  })

  test('that an earlier version made spoils no list, no group, no order and no dry run', async () => {
    const { proposal_id } = await propose(kit, noteOf('Empty/One.md', 'x\n'))
    await withoutChanges(proposal_id)
    await keepReviewOrder(kit.worker)
    expect(await alikeProposals(kit.services)).toMatchObject({ groups: [] })
    const listed = await listProposals(kit.services, proposalFilter.parse({ sort: 'to_decide' }), 'owner')
    expect(listed.items.find((one) => one.proposal_id === proposal_id)).toMatchObject({ files: 0 })
    const preview = await previewBatch(kit.services, { proposal_ids: [proposal_id], status: 'APPROVED' })
    expect(preview.proposals).toHaveLength(1)
    const decision_note = 'this is not what we need'
    given(await rejectProposal(kit.services, { proposal_id, decision_note }, OWNER))
    const rule = contentOf({ action: 'propose-note', 'target.path': { prefix: 'notes/Empty/' } })
    expect(given(await dryRun(ruleServices(kit), { rule }, OWNER)).evaluated).toBe(await proposals())
  })
})
