import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { applyDue } from '#server/apply/apply-due.ts'
import { resubmitProposal } from '#server/inbox/resubmit-proposal.ts'
import { revertProposal } from '#server/inbox/revert-proposal.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import { getProposal } from '#server/proposals/get-proposal.query.ts'
import {
  AGENT,
  editOf,
  eventsOf,
  gardenWith,
  humanCommit,
  noteOf,
  OWNER,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { editRule, removeRule } from './change-rules.ts'
import { allRules, ruleViews } from './rule-row.ts'
import { contentOf, given, newRule, ruleOn } from './testing/rule-kit.ts'
import { setRuleMode } from './turn-rule.ts'

let kit: NewKit
beforeAll(async () => {
  kit = await newKit({ holdSeconds: 10 })
})
afterAll(() => kit.end())
afterEach(async () => {
  for (const { rule_id } of await allRules(kit.db)) given(await removeRule(kit, { rule_id }, OWNER))
})

let n = 0
const note = (folder = 'Log') => noteOf(`${folder}/Note ${++n}.md`, `# Note ${n}\n`)
const LOG = contentOf({ action: 'propose-note', 'target.path': { prefix: 'notes/Log/' } })
const shown = async () => ruleViews(kit.db, await allRules(kit.db))

test('an enabled rule approves what it matches; the commit, the page and the audit name it, and a revert undoes it', async () => {
  const rule = await ruleOn(kit, LOG)
  const row = await propose(kit, note())
  const by = `rule:${rule.rule_id}@${rule.version}`
  expect(row).toMatchObject({
    status: 'AUTO_APPROVED',
    decided_by: by,
    decision_mode: 'rule',
    apply_not_before: null,
    rule_id: rule.rule_id,
    rule_version: rule.version,
    rule_trace: [
      { rule_id: rule.rule_id, version: rule.version, matched: true, outcome: 'approved', floor: null },
    ],
  })
  const names = (await eventsOf(kit, row.proposal_id)).map((event) => event.name)
  expect(names).toEqual(['proposal.created', 'proposal.auto_approved'])
  // There is no hold.
  await applyDue(kit.engine())
  const applied = await rowOf(kit, row.proposal_id)
  expect(applied.status).toBe('APPLIED')
  const [commit] = await kit.garden.log({ from: applied.git_commit as string, limit: 1 })
  expect(commit?.message).toContain(`\nApproved-By: ${by}\n`)
  const page = given(await getProposal(kit.services, row.proposal_id, 'owner'))
  expect(page.approval).toMatchObject({ mode: 'rule', rule_id: rule.rule_id, rule_version: rule.version })
  expect(await shown()).toMatchObject([
    { approved_today: 1, matched_today: 1, last_matched_at: expect.any(String) },
  ])
  // Its inverse waits for the owner, whatever the rule says.
  const revert = given(await revertProposal(kit.services, { proposal_id: row.proposal_id }, OWNER))
  expect(revert.row).toMatchObject({ status: 'PENDING', rule_id: null })
})

test('shadow records what it would have done; what does not match says so; off leaves nothing', async () => {
  const rule = await newRule(kit, LOG)
  expect((await propose(kit, note())).rule_trace).toEqual([])
  given(await setRuleMode(kit, { rule_id: rule.rule_id, mode: 'shadow' }, OWNER))
  const inside = await propose(kit, note())
  expect(inside).toMatchObject({
    status: 'PENDING',
    rule_id: null,
    rule_trace: [{ outcome: 'would_approve' }],
  })
  const outside = await propose(kit, note('Ideas'))
  expect(outside).toMatchObject({ status: 'PENDING', rule_trace: [{ matched: false, outcome: 'no_match' }] })
  expect(await shown()).toMatchObject([{ approved_today: 0, matched_today: 1 }])
  const changed = kit.db.query(
    sql`UPDATE proposal SET rule_trace = '[]' WHERE proposal_id = ${inside.proposal_id}`,
  )
  await expect(changed).rejects.toThrow('never changes')
})

test.each<[string, Parameters<typeof propose>[1], Parameters<typeof propose>[3], string]>([
  ['a tainted run', noteOf('Log/Tainted.md', 'x\n'), { tainted: true }, 'tainted'],
  [
    'an agent',
    editOf('agents/gardener/_agent.md', { diff: { type: 'append', position: 'end', text: 'More.' } }),
    {},
    'agents',
  ],
  ['a deletion', editOf('notes/Beds/South.md', { diff: { type: 'delete' } }), {}, 'delete'],
  ['a successor', noteOf('Log/Again.md', 'x\n'), { relations: { resubmitted_from: 'prop_x' } }, 'successor'],
])('%s waits for the owner under a rule that matches everything', async (_, input, origin, floor) => {
  await ruleOn(kit, contentOf({ files: { gte: 1 } }))
  const row = await propose(kit, input, OWNER, origin)
  expect(row).toMatchObject({ status: 'PENDING', rule_trace: [{ matched: true, outcome: 'floor', floor }] })
})

test('the ledger itself refuses the gravest floors', async () => {
  const row = await propose(kit, noteOf('Log/By hand.md', 'x\n'), OWNER, { tainted: true })
  const forced = kit.db.query(
    sql`UPDATE proposal SET status = 'AUTO_APPROVED' WHERE proposal_id = ${row.proposal_id}`,
  )
  await expect(forced).rejects.toThrow('proposal_floors_never_by_rule')
})

test('of ten at once a cap of three lets three through; what came twice gives its place back', async () => {
  await ruleOn(kit, { ...LOG, daily_cap: 3 })
  const rows = await Promise.all(Array.from({ length: 10 }, () => propose(kit, note())))
  const outcomes = rows.map((row) => row.rule_trace[0]?.outcome).sort()
  expect(outcomes).toEqual([...Array(3).fill('approved'), ...Array(7).fill('capped')])
  expect(rows.filter((row) => row.status === 'AUTO_APPROVED')).toHaveLength(3)
  expect(await shown()).toMatchObject([{ approved_today: 3, matched_today: 10 }])
  // One that waits already, sent again under a rule that would take it now.
  await ruleOn(kit, contentOf({ 'target.path': { prefix: 'notes/Twice/' } }))
  await kit.db.query(
    sql`UPDATE approval_rule SET position = 0 WHERE condition @> '{"target.path": {"prefix": "notes/Twice/"}}'`,
  )
  const [shadow] = await allRules(kit.db)
  given(await setRuleMode(kit, { rule_id: shadow?.rule_id ?? '', mode: 'shadow' }, OWNER))
  const twice = noteOf('Twice/One.md', 'x\n')
  await propose(kit, twice)
  await kit.db.query(sql`UPDATE approval_rule SET mode = 'on' WHERE rule_id = ${shadow?.rule_id}`)
  expect(await submitEntry(kit.services, twice, OWNER)).toMatchObject({
    refusal: { code: 'DUPLICATE_ENTRY' },
  })
  expect((await shown())[0]).toMatchObject({ approved_today: 0, matched_today: 1 })
})

test('a rule that was turned off or edited since it was read approves nothing', async () => {
  const rule = await ruleOn(kit, LOG)
  let meanwhile = async () => {}
  const racing = gardenWith(kit.garden, {
    head: async () => {
      await meanwhile()
      return kit.garden.head()
    },
  })
  const services = { ...kit.services, garden: racing }
  const submitted = async () => {
    // The first look prepares the entry, the second judges it, after the rules were read.
    let looks = 0
    const act = meanwhile
    meanwhile = async () => {
      looks++
      if (looks === 2) await act()
    }
    const answer = given(await submitEntry(services, note(), OWNER))
    return rowOf(kit, answer.resolution?.id ?? '')
  }
  meanwhile = async () => void given(await setRuleMode(kit, { rule_id: rule.rule_id, mode: 'off' }, OWNER))
  expect(await submitted()).toMatchObject({ status: 'PENDING', rule_trace: [{ outcome: 'withdrawn' }] })
  await ruleOn(kit, LOG)
  meanwhile = async () => void (await humanCommit(kit, `Log/Note ${n}.md`, 'By hand.\n'))
  expect(await submitted()).toMatchObject({ status: 'PENDING', rule_trace: [{ outcome: 'not_clean' }] })
  meanwhile = () => Promise.reject(new StorageUnavailable('the garden is away'))
  expect(await submitted()).toMatchObject({ status: 'PENDING', rule_trace: [{ outcome: 'not_clean' }] })
})

test('a rule that cannot be read, or was not tested as it stands, is broken and lets nothing through below it', async () => {
  const rule = await ruleOn(kit, LOG)
  await ruleOn(kit, LOG)
  const set = (condition: string) =>
    kit.db.query(
      sql`UPDATE approval_rule SET condition = ${condition}::jsonb WHERE rule_id = ${rule.rule_id}`,
    )
  await set('{"mood": "good"}')
  expect(await propose(kit, note())).toMatchObject({ status: 'PENDING', rule_trace: [{ outcome: 'broken' }] })
  expect((await shown())[0]?.broken).toContain('mood')
  await set('{"files": {"gte": 1}}')
  expect(await propose(kit, note())).toMatchObject({ status: 'PENDING', rule_trace: [{ outcome: 'broken' }] })
  const input = {
    ...LOG,
    condition: { mood: 'good' },
    name: 'Bad',
    rule_id: rule.rule_id,
    version: rule.version,
  }
  expect(await editRule(kit, input, OWNER)).toMatchObject({
    refusal: { details: [{ field: 'condition.mood' }] },
  })
})

test('what the worker submits for an agent is judged alike; a rejection stands', async () => {
  const rule = await ruleOn(kit, contentOf({ 'source.identity': 'agent:gardener', action: 'propose-note' }))
  const origin = { safeOutputs: ['propose-note'], agentSlug: 'gardener' } as const
  const worker = { ...kit, services: { ...kit.services, db: kit.worker.db } } as NewKit
  const row = await propose(worker, note(), AGENT, origin)
  expect(row).toMatchObject({ status: 'AUTO_APPROVED', rule_id: rule.rule_id })
  given(await setRuleMode(kit, { rule_id: rule.rule_id, mode: 'off' }, OWNER))
  const again = await propose(kit, note())
  const reject = { proposal_id: again.proposal_id, decision_note: 'this is not what we need' }
  given(await rejectProposal(kit, reject, OWNER))
  await ruleOn(kit, LOG)
  const resubmitted = given(await resubmitProposal(kit.services, { proposal_id: again.proposal_id }, OWNER))
  expect(resubmitted.row.status).toBe('PENDING')
})
