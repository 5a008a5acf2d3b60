import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import { refuse } from '#domain/kernel/result.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { inboxStats, listEntries } from '#server/inbox/list-entries.query.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { countEvents } from '#server/metrics/count-events.ts'
import { callerFor, refusalOfCall } from '#server/trpc/testing.ts'
import { countProposals } from './count-proposals.query.ts'
import { getProposal } from './get-proposal.query.ts'
import { keepReviewOrder } from './keep-review-order.ts'
import { listProposals } from './list-proposals.query.ts'
import { proposalHistory } from './proposal-history.query.ts'
import { proposalCommands } from './testing/commands.ts'
import {
  approve,
  digestNow,
  editOf,
  humanCommit,
  noteOf,
  OPERATOR,
  OWNER,
  propose,
} from './testing/garden-kit.ts'
import { type NewKit, newKit } from './testing/new-kit.ts'
import { getZoneProposal, listZoneProposals } from './zone-proposals.query.ts'

let kit: NewKit
beforeAll(async () => {
  kit = await newKit()
})
afterAll(() => kit.end())

const append = (text: string) => ({ diff: { type: 'append', position: 'end', text }, summary: text })
const viewOf = async (id: string) => {
  const view = await getProposal(kit.services, id, 'owner')
  if (!view.ok) throw new Error(view.refusal.code)
  return view.value
}

describe('the review page', () => {
  test('shows the real diff against the garden as it is now, and the digest that approving pins', async () => {
    const row = await propose(kit, editOf('notes/Beds/North.md', append('Mulched.')))
    const before = await viewOf(row.proposal_id)
    expect(before).toMatchObject({
      review_digest: await digestNow(kit, row),
      freshness: { state: 'clean', mergeable: true, current_hash: row.target_hash },
      commands: ['approve', 'reject', 'edit', 'extend', 'snooze'],
      lineage: { inbox_id: row.inbox_entry_id, entry_source: 'owner' },
      approval: null,
    })
    const text = before.changes[0]?.base_text ?? ''
    expect(before.changes[0]).toMatchObject({ current_text: text, proposed_text: `${text}Mulched.\n` })
    await humanCommit(kit, 'Beds/North.md', `By hand.\n${text}`)
    const after = await viewOf(row.proposal_id)
    expect(after).toMatchObject({
      freshness: { state: 'changed', mergeable: true },
      review_digest: before.review_digest,
    })
    expect(after.changes[0]).toMatchObject({
      proposed_text: `By hand.\n${text}Mulched.\n`,
      additions: 1,
      deletions: 0,
    })
  })

  test('in a conflict shows base and proposal, and offers no approve', async () => {
    const row = await propose(
      kit,
      editOf('notes/Beds/South.md', { diff: { type: 'replace', text: '# South\n' }, summary: 'x' }),
    )
    await humanCommit(kit, 'Beds/South.md', 'By hand.\n')
    const view = await viewOf(row.proposal_id)
    expect(view.commands).toEqual(['reject', 'rebase', 'extend', 'snooze'])
    expect(view.changes[0]).toMatchObject({
      state: 'changed',
      current_text: 'By hand.\n',
      proposed_text: '# South\n',
      unified: row.changes[0]?.unified,
    })
    expect((await countProposals(kit.services)).in_conflict).toEqual({ count: 1, exact: true })
    await proposalCommands.reject(
      kit.services,
      { proposal_id: row.proposal_id, decision_note: 'in conflict' },
      OWNER,
    )
  })

  test('of a rejected one shows what was rejected, whatever happened since', async () => {
    const { proposal_id } = await propose(kit, editOf('notes/Beds/North.md', append('Limed.')))
    const { changes } = await viewOf(proposal_id)
    await proposalCommands.reject(kit.services, { proposal_id, decision_note: 'not in this season' }, OWNER)
    await humanCommit(kit, 'Beds/North.md', `By hand again.\n${changes[0]?.base_text}`)
    const after = (await viewOf(proposal_id)).changes[0]
    expect(after).toMatchObject({
      base_text: changes[0]?.base_text,
      proposed_text: changes[0]?.proposed_text,
      unified: changes[0]?.unified,
    })
  })

  test('of an applied one shows what its commit did, whatever happened since', async () => {
    const row = await approve(kit, await propose(kit, noteOf('Applied.md', 'first\n')))
    await applyDue(kit.engine())
    await humanCommit(kit, 'Applied.md', 'second\n')
    const view = await viewOf(row.proposal_id)
    expect(view.changes[0]).toMatchObject({
      base_text: null,
      proposed_text: 'first\n',
      current_text: 'second\n',
    })
    expect(view).toMatchObject({ freshness: null, commands: ['revert', 'archive'] })
    const history = await proposalHistory(kit, row.proposal_id)
    expect(history.ok && history.value.map((line) => line.transition)).toEqual([
      'create',
      'approve',
      'take',
      'applied',
    ])
  })
})

describe('lists', () => {
  const idsOf = async (input: Parameters<typeof proposalFilter.parse>[0], size: number) => {
    const ids: string[] = []
    let cursor: string | null = null
    do {
      const filter = proposalFilter.parse({
        ...(input as object),
        limit: size,
        ...(cursor ? { cursor } : {}),
      })
      const page = await listProposals(kit.services, filter, 'owner')
      ids.push(...page.items.map((item) => item.proposal_id))
      cursor = page.next_cursor
    } while (cursor)
    return ids
  }

  test.each(['newest', 'oldest', 'to_decide'] as const)(
    '%s: pages of any size give every row once, in order',
    async (sort) => {
      for (let n = 0; n < 7; n++) await propose(kit, noteOf(`${sort} ${n}.md`, 'x\n'))
      // Equal times, so that only the id tells the rows apart.
      await kit.db.query(
        sql`UPDATE proposal SET expires_at = '2030-01-01', created_at = '2026-01-01' WHERE summary LIKE ${`%${sort}%`}`,
      )
      await kit.db.query(
        sql`UPDATE proposal SET priority = 'high', expires_at = '2031-01-01' WHERE summary LIKE ${`%${sort} 3%`}`,
      )
      const all = await idsOf({ sort }, 100)
      for (const size of [1, 2, 3]) expect(await idsOf({ sort }, size)).toEqual(all)
      expect(new Set(all).size).toBe(all.length)
      if (sort === 'to_decide') {
        const { rows } = await kit.db.query<{
          proposal_id: string
        }>(sql`SELECT proposal_id FROM proposal WHERE status = 'PENDING'
        ORDER BY review_class, priority = 'normal', created_at, proposal_id`)
        expect(all).toEqual(rows.map((row) => row.proposal_id))
      }
    },
  )

  test('what waits for a decision: free of conflict and expiring first, then by priority, then the oldest', async () => {
    const made = async (name: string, path = `Order ${name}.md`) => {
      const entry = path.startsWith('Order')
        ? noteOf(path, 'x\n')
        : editOf(`notes/${path}`, { diff: { type: 'replace', text: `# ${name}\n` }, summary: name })
      return { name, id: (await propose(kit, entry)).proposal_id }
    }
    const all = [
      await made('old'),
      await made('high'),
      await made('conflict', 'Beds/North.md'),
      await made('conflict soon', 'Beds/North.md'),
      await made('soon'),
      await made('new'),
    ]
    const soon = all.filter(({ name }) => name.endsWith('soon')).map(({ id }) => id)
    const set = (what: Sql, ids: string[]) =>
      kit.db.query(sql`UPDATE proposal SET ${what} WHERE proposal_id = ANY(${ids}::text[])`)
    await set(sql`expires_at = clock_timestamp() + interval '2 hours'`, soon)
    await set(sql`priority = 'high'`, [all[1]?.id ?? ''])
    const order = async () => {
      await keepReviewOrder(kit.services)
      const ids = await idsOf({ sort: 'to_decide' }, 3)
      const name = (id: string) => all.find((one) => one.id === id)?.name
      return ids.flatMap((id) => name(id) ?? [])
    }
    expect(await order()).toEqual(['conflict soon', 'soon', 'high', 'old', 'conflict', 'new'])
    await humanCommit(kit, 'Beds/North.md', 'By hand, once more.\n')
    expect(await order()).toEqual(['soon', 'high', 'old', 'new', 'conflict soon', 'conflict'])
    await set(sql`expires_at = clock_timestamp() + interval '9 days'`, soon)
    expect(await order()).toEqual(['high', 'old', 'soon', 'new', 'conflict', 'conflict soon'])
  })

  test('filters narrow, and what is archived is out of the default list', async () => {
    const row = await propose(kit, noteOf('Findable 100%.md'.replace('%', ''), 'x\n'))
    const found = (input: object) => idsOf(input, 50)
    expect(await found({ q: 'Findable' })).toEqual([row.proposal_id])
    expect(await found({ q: '%_%' })).toEqual([])
    expect(await found({ target: 'notes/Findable', status: 'PENDING' })).toEqual([row.proposal_id])
    expect(await found({ target: 'notes/Findable', status: ['REJECTED', 'EXPIRED'] })).toEqual([])
    await proposalCommands.reject(
      kit.services,
      { proposal_id: row.proposal_id, decision_note: 'not needed now' },
      OWNER,
    )
    await proposalCommands.archive(kit.services, row, OWNER)
    expect(await found({ q: 'Findable' })).toEqual([])
    expect(await found({ q: 'Findable', archived: true })).toEqual([row.proposal_id])
  })

  test.each([
    '',
    'x',
    'W10',
    Buffer.from('["newest"]').toString('base64url'),
    Buffer.from('["oldest","2026","x"]').toString('base64url'),
  ])('a cursor that is none: %j', async (cursor) => {
    const filter = { ...proposalFilter.parse({}), cursor }
    const page = listProposals(kit.services, filter, 'owner').catch(
      (e: { refusal: { code: string } }) => e.refusal.code,
    )
    expect(await page).toEqual(cursor === '' ? expect.anything() : 'BAD_REQUEST')
  })

  test('entries by keyset, and the numbers of today', async () => {
    const first = await listEntries(kit.services, { limit: 3 })
    const second = await listEntries(kit.services, { limit: 3, cursor: first.next_cursor ?? '' })
    const ids = [...first.items, ...second.items].map((entry) => entry.inbox_id)
    expect(new Set(ids).size).toBe(6)
    const { rows } = await kit.db.query<{ n: number }>(
      sql`SELECT count(*) AS n FROM inbox_entry WHERE status = 'processed'`,
    )
    const counting = kit.worker.db
    await sealAll(counting)
    while ((await countEvents(counting)) > 0);
    expect(await inboxStats(kit.services)).toMatchObject({ pending: 0, processed_today: rows[0]?.n })
  })
})

describe('a guest', () => {
  const scope = { folders: ['Zone'], tags: [] }

  test('sees the proposals of the zone, without notes, identities or runs', async () => {
    const inside = await propose(kit, noteOf('Zone/In.md', 'x\n'))
    const outside = await propose(kit, noteOf('Out.md', 'x\n'))
    const comment = await propose(kit, {
      intent: {
        action: 'propose-comment',
        target: 'notes/Beds/North.md',
        payload: { text: 'x', summary: 'c' },
      },
    })
    const page = await listZoneProposals(kit.services, scope, { limit: 10 })
    expect(page.items.map((item) => item.proposal_id)).toEqual([inside.proposal_id])
    expect(Object.keys(page.items[0] ?? {}).sort()).toEqual([
      'changes',
      'created_at',
      'expires_at',
      'id',
      'proposal_id',
      'status',
      'summary',
      'updated_at',
    ])
    for (const { proposal_id } of [outside, comment])
      expect(await getZoneProposal(kit.services, scope, proposal_id)).toEqual(
        refuse({ code: 'NOT_FOUND', message: 'There is no such proposal.' }),
      )
  })

  test('decides nothing and reads nothing of the whole', async () => {
    const guest = callerFor(kit.services, {
      role: 'guest',
      identity: 'zone:0000abcd',
      zoneId: '0000abcd',
      via: 'console',
    })
    expect((await refusalOfCall(guest.proposals.list({}))).code).toBe('NOT_FOUND')
    const { proposal_id } = await propose(kit, noteOf('Guest.md', 'x\n'))
    expect((await refusalOfCall(guest.proposals.get({ proposal_id }))).code).toBe('NOT_FOUND')
    expect((await refusalOfCall(guest.proposals.undo({ proposal_id }))).code).toBe('FORBIDDEN')
    const operator = callerFor(kit.services, OPERATOR)
    expect((await refusalOfCall(operator.proposals.approve({ proposal_id }))).code).toBe('FORBIDDEN')
    expect(await operator.proposals.get({ proposal_id })).toMatchObject({ commands: [] })
  })
})
