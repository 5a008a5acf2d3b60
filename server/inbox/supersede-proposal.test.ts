import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Result } from '#domain/kernel/result.ts'
import { approveProposal, rejectProposal, undoApproval } from '#server/proposals/decide-proposal.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import {
  approve,
  digestNow,
  editOf,
  eventsOf,
  noteOf,
  OWNER,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { invalidTransition } from '#server/proposals/transition-proposal.ts'
import { successorContent } from './submit-successor.ts'
import { type Supersession, supersedeIn, supersedeProposal, supersedeWith } from './supersede-proposal.ts'

let kit: NewKit
let count = 0
beforeAll(async () => {
  kit = await newKit({ holdSeconds: 10 })
})
afterAll(() => kit.end())

const fresh = () => propose(kit, noteOf(`Superseded ${++count}.md`, 'proposed\n'))
const codeOf = (outcome: Result<unknown>) => (outcome.ok ? 'ok' : outcome.refusal.code)
const planOf = (old: ProposalRow, text: string, command: Supersession['command'] = 'edit'): Supersession => ({
  old,
  command,
  request: `${command} ${text}`,
  drafts: () => old.changes.map(({ path }) => ({ path, diff: { type: 'create', text } })),
})
const supersede = (plan: Supersession) => supersedeProposal(kit.services, plan, OWNER)
const rowsOf = async (table: 'proposal' | 'inbox_entry') =>
  (
    await kit.db.query<{ n: number }>(
      table === 'proposal'
        ? sql`SELECT count(*) AS n FROM proposal`
        : sql`SELECT count(*) AS n FROM inbox_entry`,
    )
  ).rows[0]?.n

describe('a proposal that is superseded', () => {
  test.each(['edit', 'rebase'] as const)(
    'by %s: rejected, discarded, and its child waits',
    async (command) => {
      const old = await fresh()
      const made = await supersede(planOf(old, `${command}\n`, command))
      if (!made.ok) throw new Error(made.refusal.message)
      const { row, inboxId } = made.value
      const back = { edit: 'edited_from', rebase: 'rebased_from' }[command]
      expect(row).toMatchObject({
        status: 'PENDING',
        source_identity: 'owner',
        inbox_entry_id: inboxId,
        relations: { [back]: old.proposal_id },
      })
      expect(await rowOf(kit, old.proposal_id)).toMatchObject({
        status: 'DISCARDED',
        decision_note: `superseded by ${row.proposal_id}`,
        relations: { superseded_by: row.proposal_id },
      })
      const name = { edit: 'proposal.edited', rebase: 'proposal.rebased' }[command]
      expect((await eventsOf(kit, old.proposal_id)).map((e) => e.name)).toEqual([
        'proposal.created',
        'proposal.rejected',
        'proposal.discarded',
        name,
      ])
      const { rows } = await kit.db.query(
        sql`SELECT details - 'record' AS details FROM event WHERE resource_id = ${old.proposal_id} AND name = ${name}`,
      )
      expect(rows[0]?.details).toEqual({
        superseded_by: row.proposal_id,
        proposed_digest: old.content_digest,
        [`${command === 'edit' ? 'edited' : 'rebased'}_digest`]: row.content_digest,
      })
    },
  )

  test('the same request again returns the child, another one is refused', async () => {
    const old = await fresh()
    const plan = planOf(old, 'again\n')
    const answers = await Promise.all([1, 2, 3, 4].map(() => supersede(plan)))
    const ids = new Set(answers.map((a) => (a.ok ? a.value.row.proposal_id : a.refusal.code)))
    expect(ids.size).toBe(1)
    expect(answers.filter((a) => a.ok && !a.value.unchanged)).toHaveLength(1)
    const other = await supersede(planOf(old, 'something else\n'))
    expect(other).toMatchObject({
      refusal: { code: 'INVALID_TRANSITION', details: { from: 'DISCARDED', event: 'edit' } },
    })
  })

  test('leaves nothing behind when the child is refused', async () => {
    const old = await fresh()
    const other = await fresh()
    const same = { ...planOf(old, 'x\n'), drafts: planOf(other, 'proposed\n').drafts }
    const before = [await rowsOf('proposal'), await rowsOf('inbox_entry')]
    const twin = { ...same, old: { ...old, target_path: other.target_path } }
    expect(await supersede(twin)).toMatchObject({ refusal: { code: 'DUPLICATE_ENTRY' } })
    expect(await rowOf(kit, old.proposal_id)).toEqual({ ...old, overdue: false })
    expect([await rowsOf('proposal'), await rowsOf('inbox_entry')]).toEqual(before)
    expect(await eventsOf(kit, old.proposal_id)).toHaveLength(1)
  })

  test('and neither when what was to commit with it is refused', async () => {
    const old = await fresh()
    const plan = planOf(old, 'half\n')
    const content = await successorContent(kit.services, plan.drafts)
    if (!content.ok) throw new Error(content.refusal.message)
    const outcome = await supersedeWith(kit.db, plan, {
      actor: OWNER,
      work: async (tx) => {
        await supersedeIn(tx, plan, content.value, OWNER)
        return invalidTransition(tx, old, 'approve', OWNER)
      },
    })
    expect(codeOf(outcome)).toBe('INVALID_TRANSITION')
    expect(await rowOf(kit, old.proposal_id)).toMatchObject({ status: 'PENDING', version: 1 })
    expect(await eventsOf(kit, old.proposal_id)).toHaveLength(1)
  })

  test('one that is overdue expires instead', async () => {
    const old = await fresh()
    await kit.db.query(
      sql`UPDATE proposal SET expires_at = clock_timestamp() WHERE proposal_id = ${old.proposal_id}`,
    )
    expect(await supersede(planOf(old, 'late\n'))).toMatchObject({
      refusal: { code: 'INVALID_TRANSITION', details: { from: 'EXPIRED' } },
    })
  })

  test('a decision that was made and taken back meanwhile: look again', async () => {
    const old = await fresh()
    await approve(kit, old)
    await undoApproval(kit, { proposal_id: old.proposal_id }, OWNER)
    expect(codeOf(await supersede(planOf(old, 'late\n')))).toBe('CONCURRENT_MODIFICATION')
    expect(await rowOf(kit, old.proposal_id)).toMatchObject({ status: 'PENDING', relations: {} })
  })

  test('a FAILED one can be superseded, one that was decided meanwhile cannot', async () => {
    const failed = await fresh()
    for (const to of ['APPROVED', 'APPLYING', 'FAILED'])
      await kit.db.query(sql`UPDATE proposal SET status = ${to}, lease_expires_at = clock_timestamp() + interval '1 day',
        error = '{"code":"validation_failed","message":"no"}' WHERE proposal_id = ${failed.proposal_id}`)
    expect(codeOf(await supersede(planOf(failed, 'mended\n')))).toBe('ok')
    const old = await fresh()
    await approve(kit, old)
    expect(await supersede(planOf(old, 'late\n'))).toMatchObject({
      refusal: { code: 'INVALID_TRANSITION', details: { from: 'APPROVED' } },
    })
  })
})

describe('of an edit, an approval and a rejection at once', () => {
  test('exactly one wins, and the losers leave nothing', async () => {
    for (let round = 0; round < 4; round++) {
      const old = await fresh()
      const { proposal_id } = old
      const digest = await digestNow(kit, old)
      const actor = (n: number) => ({ ...OWNER, identity: `owner-${n}` })
      const note = 'this is not what we need'
      const outcomes = await Promise.all(
        Array.from({ length: 18 }, (_, n) => {
          if (n % 3 === 0) return supersedeProposal(kit.services, planOf(old, `by ${n}\n`), actor(n))
          return n % 3 === 1
            ? approveProposal(kit.services, { proposal_id, review_digest: digest }, actor(n))
            : rejectProposal(kit.services, { proposal_id, decision_note: note }, actor(n))
        }),
      )
      expect(outcomes.filter((o) => o.ok)).toHaveLength(1)
      const { rows } = await kit.db.query(
        sql`SELECT proposal_id FROM proposal WHERE relations ->> 'edited_from' = ${proposal_id}`,
      )
      const { status, relations } = await rowOf(kit, proposal_id)
      expect(rows).toHaveLength(status === 'DISCARDED' ? 1 : 0)
      expect(relations).toEqual(status === 'DISCARDED' ? { superseded_by: rows[0]?.proposal_id } : {})
    }
  })
})

test('an edit of a file that changed meanwhile is refused, and the proposal waits on', async () => {
  const old = await propose(
    kit,
    editOf('notes/Beds/North.md', { diff: { type: 'append', position: 2, text: 'Mulched.' } }),
  )
  const plan: Supersession = {
    ...planOf(old, ''),
    drafts: () => [{ path: 'Beds/North.md', diff: { type: 'replace', text: 'x\n' }, baseHash: 'absent' }],
  }
  expect(codeOf(await supersede(plan))).toBe('TARGET_CHANGED')
  expect((await rowOf(kit, old.proposal_id)).status).toBe('PENDING')
})
