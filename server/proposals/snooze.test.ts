import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proposalFilter } from '#contracts/proposal.contract.ts'
import type { Result } from '#domain/kernel/result.ts'
import { getNavigationCounts } from '#server/system/get-navigation-counts.query.ts'
import { countProposals } from './count-proposals.query.ts'
import { listProposals } from './list-proposals.query.ts'
import { endSnoozes } from './snooze-proposal.ts'
import { proposalCommands } from './testing/commands.ts'
import { approve, eventsOf, noteOf, OWNER, propose, rowOf } from './testing/garden-kit.ts'
import { type NewKit, newKit } from './testing/new-kit.ts'

let kit: NewKit
let count = 0
beforeAll(async () => {
  kit = await newKit({ holdSeconds: 10 })
})
afterAll(() => kit.end())

const HOUR = 3_600_000
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
const fresh = () => propose(kit, noteOf(`Later ${++count}.md`, 'x\n'))
const snooze = (proposal_id: string, until: string) =>
  proposalCommands.snooze(kit.services, { proposal_id, until }, OWNER)
const codeOf = (outcome: Result<unknown>) => (outcome.ok ? 'ok' : outcome.refusal.code)
const listed = async (sort: string) =>
  (await listProposals(kit.services, proposalFilter.parse({ sort }), 'owner')).items.map((p) => p.proposal_id)
const inNavigation = async () => (await getNavigationCounts(kit.services)).proposals_waiting
const names = async (id: string) => (await eventsOf(kit, id)).map((event) => event.name)

describe('a snoozed proposal', () => {
  test('leaves the review order and the counts, and is listed with those that return first', async () => {
    const [one, other, third] = [await fresh(), await fresh(), await fresh()]
    const before = await countProposals(kit.services)
    const badge = await inNavigation()
    const until = inMs(2 * HOUR)
    expect(await snooze(one.proposal_id, until)).toMatchObject({
      ok: true,
      value: {
        proposal: { status: 'PENDING', snoozed_until: until, commands: expect.arrayContaining(['unsnooze']) },
      },
    })
    expect(codeOf(await snooze(other.proposal_id, inMs(HOUR)))).toBe('ok')
    expect(await listed('to_decide')).toContain(third.proposal_id)
    expect(await listed('to_decide')).not.toContain(one.proposal_id)
    expect(await listed('snoozed')).toEqual([other.proposal_id, one.proposal_id])
    expect(await countProposals(kit.services)).toMatchObject({
      waiting: before.waiting - 2,
      unseen: before.unseen - 2,
      snoozed: before.snoozed + 2,
    })
    expect(await inNavigation()).toBe(badge - 2)
    expect(codeOf(await proposalCommands.unsnooze(kit.services, one, OWNER))).toBe('ok')
    expect(await listed('to_decide')).toContain(one.proposal_id)
    expect(await proposalCommands.unsnooze(kit.services, one, OWNER)).toMatchObject({
      value: { unchanged: true, proposal: { snoozed_until: null } },
    })
    expect(await names(one.proposal_id)).toEqual([
      'proposal.created',
      'proposal.snoozed',
      'proposal.unsnoozed',
    ])
    await proposalCommands.unsnooze(kit.services, other, OWNER)
  })

  test('returns by itself when its time has come, once, and says so', async () => {
    const [due, later] = [await fresh(), await fresh()]
    for (const { proposal_id } of [due, later]) await snooze(proposal_id, inMs(HOUR))
    await kit.db.query(
      sql`UPDATE proposal SET snoozed_until = clock_timestamp() WHERE proposal_id = ${due.proposal_id}`,
    )
    const ended = await Promise.all([endSnoozes(kit.worker), endSnoozes(kit.worker)])
    expect(ended.reduce((a, b) => a + b)).toBe(1)
    expect(await listed('to_decide')).toContain(due.proposal_id)
    expect(await listed('to_decide')).not.toContain(later.proposal_id)
    expect(await names(due.proposal_id)).toEqual([
      'proposal.created',
      'proposal.snoozed',
      'proposal.unsnoozed',
    ])
  })

  test('can be decided; undone, it is as it was', async () => {
    const row = await fresh()
    const until = inMs(HOUR)
    await snooze(row.proposal_id, until)
    await approve(kit, row)
    await kit.db.query(
      sql`UPDATE proposal SET snoozed_until = clock_timestamp() WHERE proposal_id = ${row.proposal_id}`,
    )
    // What is decided is not brought back.
    expect(await endSnoozes(kit.worker)).toBe(0)
    await proposalCommands.undo(kit.services, row, OWNER)
    expect(await endSnoozes(kit.worker)).toBe(1)
    expect((await rowOf(kit, row.proposal_id)).snoozed_until).toBeNull()
  })
})

describe('until', () => {
  test('lies in the future and before the expiry; the refusal names it and nothing is kept', async () => {
    const row = await fresh()
    const expiry = row.expires_at.toISOString()
    for (const until of [inMs(-1_000), expiry, new Date(row.expires_at.getTime() + HOUR).toISOString()])
      expect(await snooze(row.proposal_id, until)).toMatchObject({
        refusal: { code: 'LIMIT_EXCEEDED', details: { expires_at: expiry } },
      })
    expect((await rowOf(kit, row.proposal_id)).snoozed_until).toBeNull()
    const last = new Date(row.expires_at.getTime() - 1).toISOString()
    expect(codeOf(await snooze(row.proposal_id, last))).toBe('ok')
    expect(await snooze(row.proposal_id, last)).toMatchObject({ value: { unchanged: true } })
    expect(await names(row.proposal_id)).toEqual(['proposal.created', 'proposal.snoozed'])
  })
})
