import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Caller } from '#domain/authority/caller.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { revertProposal } from '#server/inbox/revert-proposal.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import { approve, noteOf, OWNER, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { createRule, editRule, orderRules, removeRule } from './change-rules.ts'
import { dryRun } from './dry-run.ts'
import { openDisagreements } from './dry-run-token.ts'
import { allRules } from './rule-row.ts'
import { contentOf, given, newRule, ruleServices, turnedOn } from './testing/rule-kit.ts'
import { setRuleMode, turnRuleOn } from './turn-rule.ts'

let kit: NewKit
let services: ReturnType<typeof ruleServices>
/** Two approved, one of them reverted; two rejected, one of them in another folder; one undecided, one tainted. */
let rejected: string
let reverted: string
beforeAll(async () => {
  kit = await newKit()
  services = ruleServices(kit)
  const made = (path: string, tainted = false) => propose(kit, noteOf(path, 'x\n'), OWNER, { tainted })
  const refuse = async (path: string) => {
    const { proposal_id } = await made(path)
    given(await rejectProposal(kit, { proposal_id, decision_note: 'this is not what we need' }, OWNER))
    return proposal_id
  }
  await approve(kit, await made('Log/One.md'))
  reverted = (await approve(kit, await made('Log/Two.md'))).proposal_id
  await applyDue(kit.engine())
  given(await revertProposal(kit.services, { proposal_id: reverted }, OWNER))
  rejected = await refuse('Log/Three.md')
  await refuse('Ideas/Four.md')
  await made('Log/Five.md')
  await approve(kit, await made('Log/Six.md', true))
})
afterAll(() => kit.end())

const LOG = contentOf({ action: 'propose-note', 'target.path': { prefix: 'notes/Log/' } })
const tested = async (rule = LOG) => given(await dryRun(services, { rule }, OWNER))
const everything = async () => {
  const { rows } = await kit.db.query<{ of: string }>(sql`SELECT concat((SELECT max(id) FROM event), ' ',
    (SELECT md5(string_agg(p::text, '' ORDER BY proposal_id)) FROM proposal p), ' ', (SELECT count(*) FROM approval_rule)) AS of`)
  return rows[0]?.of
}

test('a dry run says what the rule would have done, disagreements first, and writes nothing', async () => {
  const before = await everything()
  const result = await tested()
  // Six by hand and the inverse of one, which deletes and so is kept back, as the tainted one is.
  expect(result).toMatchObject({
    evaluated: 7,
    matched: 4,
    agreed: 1,
    disagreed_total: 2,
    undecided: 1,
    kept_back: 2,
  })
  expect(result.disagreed.map((one) => [one.proposal_id, one.kind])).toEqual([
    [rejected, 'rejected'],
    [reverted, 'reverted'],
  ])
  expect(result).toMatchObject({ busiest_day: 4, truncated: false })
  expect(await everything()).toBe(before)
  const past = { from: '2020-01-01T00:00:00.000Z', to: '2020-02-01T00:00:00.000Z' }
  expect(given(await dryRun(services, { rule: LOG, ...past }, OWNER)).evaluated).toBe(0)
  const backwards = await dryRun(services, { rule: LOG, from: past.to, to: past.from }, OWNER)
  expect(backwards).toMatchObject({ refusal: { code: 'VALIDATION_FAILED', details: [{ field: 'from' }] } })
})

test('what was edited or sent back to its agent is a disagreement, and what was rebased is none', async () => {
  const path = 'Edited/One.md'
  const { proposal_id } = await propose(kit, noteOf(path, 'x\n'))
  const successor = await propose(kit, noteOf('Elsewhere.md', 'x\n'))
  await rejectProposal(kit, { proposal_id, decision_note: 'superseded by another' }, OWNER)
  const rule = contentOf({ action: 'propose-note', 'target.path': { prefix: 'notes/Edited/' } })
  const relate = async (id: string, relations: object) =>
    kit.db.query(sql`UPDATE proposal SET relations = ${JSON.stringify(relations)} WHERE proposal_id = ${id}`)
  expect((await tested(rule)).disagreed).toMatchObject([{ kind: 'rejected' }])
  await relate(proposal_id, { superseded_by: successor.proposal_id })
  expect(await tested(rule)).toMatchObject({ undecided: 1, disagreed_total: 0 })
  await relate(successor.proposal_id, { edited_from: proposal_id })
  expect(await tested(rule)).toMatchObject({
    disagreed: [{ proposal_id, kind: 'edited', decision_note: null }],
  })
  await relate(successor.proposal_id, { supersedes: proposal_id })
  expect(await tested(rule)).toMatchObject({
    disagreed: [{ proposal_id, kind: 'sent_back', decision_note: null }],
  })
  await relate(successor.proposal_id, { rebased_from: proposal_id })
  expect(await tested(rule)).toMatchObject({ undecided: 1, disagreed_total: 0 })
})

describe('a rule is turned on', () => {
  const on = async (token: string, by: Caller = OWNER, rule = LOG) => {
    const { rule_id } = await newRule(kit, rule)
    const outcome = await turnRuleOn(services, { rule_id, dry_run_token: token }, by)
    given(await removeRule(kit, { rule_id }, OWNER))
    return outcome.ok ? outcome.value.mode : (outcome.refusal.details as { reason: string }[])[0]?.reason
  }
  const open = async (token: string, ...proposal_ids: string[]) =>
    given(
      await openDisagreements(
        services.env.BLOOM_SESSION_KEY,
        { dry_run_token: token, proposal_ids },
        OWNER.identity,
      ),
    )

  test('only when every disagreement was opened', async () => {
    const { dry_run_token: token } = await tested()
    expect(await on(token)).toBe('not_opened')
    const half = await open(token, rejected, rejected, 'prop_2026-01-01_0123456789ab')
    expect(half.left).toBe(1)
    expect(await on(half.dry_run_token)).toBe('not_opened')
    const whole = await open(half.dry_run_token, reverted)
    expect(whole.left).toBe(0)
    expect(await on(whole.dry_run_token)).toBe('on')
  })

  test('only with a token of this rule, of this owner, of the last day', async () => {
    const { dry_run_token } = await tested()
    const { dry_run_token: token } = await open(dry_run_token, rejected, reverted)
    expect(await on(token, OWNER, { ...LOG, daily_cap: 101 })).toBe('other_rule')
    expect(await on(token, { ...OWNER, identity: 'owner:other' })).toBe('not_tested')
    expect(await on(`${token}x`)).toBe('not_tested')
    expect(await on('')).toBe('not_tested')
    vi.useFakeTimers({ now: Date.now() + 24 * 3_600_000 + 1_000, toFake: ['Date'] })
    expect(await on(token)).toBe('too_old')
    vi.useRealTimers()
  })

  test('not by a dry run of less than the last 90 days', async () => {
    const [now, day] = [Date.now(), 86_400_000]
    const over = async (from: number, to: number) => {
      const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
      const { dry_run_token, disagreed } = given(await dryRun(services, { rule: LOG, ...range }, OWNER))
      const ids = disagreed.map((one) => one.proposal_id)
      return on(ids.length > 0 ? (await open(dry_run_token, ...ids)).dry_run_token : dry_run_token)
    }
    expect(await over(now - 1_000 * day, now - 900 * day)).toBe('too_short')
    expect(await over(now - 1_000, now)).toBe('too_short')
    expect(await over(now - 95 * day, now - day)).toBe('too_short')
    expect(await over(now - 89 * day, now + day)).toBe('too_short')
    expect(await over(now - 100 * day, now + day)).toBe('on')
  })

  test('and falls back to shadow when its content changes, not when its name does', async () => {
    const rule = await turnedOn(kit, await newRule(kit, LOG))
    const named = given(
      await editRule(kit, { ...LOG, name: 'Log', rule_id: rule.rule_id, version: rule.version }, OWNER),
    )
    expect(named).toMatchObject({ mode: 'on', version: rule.version + 1, broken: null })
    const stale = { ...LOG, name: 'Late', rule_id: rule.rule_id, version: rule.version }
    expect(await editRule(kit, stale, OWNER)).toMatchObject({ refusal: { code: 'CONCURRENT_MODIFICATION' } })
    const wider = { ...LOG, daily_cap: 200, name: 'Log', rule_id: rule.rule_id, version: named.version }
    expect(given(await editRule(kit, wider, OWNER)).mode).toBe('shadow')
    given(await removeRule(kit, { rule_id: rule.rule_id }, OWNER))
    for (const gone of [
      await setRuleMode(kit, { rule_id: rule.rule_id, mode: 'off' }, OWNER),
      await removeRule(kit, { rule_id: rule.rule_id }, OWNER),
      await turnRuleOn(services, { rule_id: rule.rule_id, dry_run_token: '' }, OWNER),
    ])
      expect(gone).toMatchObject({ refusal: { code: 'NOT_FOUND' } })
  })
})

test.each<[string, Partial<typeof LOG>, string]>([
  ['an empty condition', { condition: {} }, 'condition'],
  ['an unknown field', { condition: { mood: 'good' } }, 'condition.mood'],
  ['logic', { condition: { action: 'logic-update' } }, 'condition.action'],
  ['agents without a cap', { daily_cap: null }, 'daily_cap'],
  ['agents without an end', { expires_at: null }, 'expires_at'],
  ['an end that has passed', { expires_at: '2020-01-01T00:00:00.000Z' }, 'expires_at'],
])('a rule with %s is refused', async (_, part, field) => {
  const outcome = await createRule(kit, { ...LOG, ...part, name: 'Bad' }, OWNER)
  expect(outcome).toMatchObject({ refusal: { code: 'VALIDATION_FAILED', details: [{ field }] } })
})

test('rules have one order, and an order of an older list is refused; their changes are audited', async () => {
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.push((await newRule(kit, LOG)).rule_id)
  const order = [ids[2], ids[0], ids[1]] as string[]
  given(await orderRules(kit, { rule_ids: order }, OWNER))
  expect((await allRules(kit.db)).map((row) => row.rule_id)).toEqual(order)
  for (const wrong of [ids.slice(1), [...ids, ids[0] as string], [ids[0], ids[0], ids[1]] as string[]])
    expect(await orderRules(kit, { rule_ids: wrong }, OWNER)).toMatchObject({ ok: false })
  expect((await allRules(kit.db)).map((row) => row.rule_id)).toEqual(order)
  const last = await newRule(kit, {
    ...LOG,
    condition: { 'source.identity': 'owner' },
    daily_cap: null,
    expires_at: null,
  })
  expect((await allRules(kit.db)).at(-1)?.rule_id).toBe(last.rule_id)
  const { rows } = await kit.db.query<{ name: string; details: { mode: string } }>(
    sql`SELECT name, details FROM event WHERE resource_id = ${last.rule_id}`,
  )
  expect(rows).toMatchObject([{ name: 'rule.created', details: { mode: 'off', version: 1, condition: {} } }])
})
