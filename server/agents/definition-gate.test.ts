import { rm } from 'node:fs/promises'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyDue } from '#server/apply/apply-due.ts'
import { createEngine } from '#server/apply/engine.ts'
import { resubmitProposal } from '#server/inbox/resubmit-proposal.ts'
import { revertProposal } from '#server/inbox/revert-proposal.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { approveProposal, rejectProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'
import { forceApply } from '#server/proposals/reapply-proposal.ts'
import type { Services } from '#server/services.ts'
import { AGENT_FILE, type Kit, makeGround, openKit, outputOf, scripted } from '../runs/testing/run-kit.ts'
import { changeAgentStatus } from './change-agent-status.ts'
import { checkDefinition } from './check-definition.query.ts'
import { createExecutorRegistry } from './executor-registry.ts'
import { getAgent } from './get-agent.query.ts'
import { proposeDeletion } from './propose-deletion.ts'
import { syncAgents } from './sync-agents.ts'

const OWNER = { role: 'owner', identity: 'owner', via: 'console' } as const
const fileOf = (slug: string) => `agents/${slug}/_agent.md`
let database: TestDatabase
let folder: string
let kit: Kit
let services: Kit & Pick<Services, 'env'>

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await makeGround(['scout', 'leaver', 'broken'])
  const extractive = scripted(async () => outputOf())
  kit = await openKit({
    url: database.workerUrl,
    folder,
    executors: createExecutorRegistry({ extractive }),
  })
  services = { ...kit, env: { APPLY_HOLD_SECONDS: 0, RATE_AGENT_CHANGES: 100 } as Services['env'] }
  await syncAgents(kit, { trusted: ['scout', 'leaver', 'broken'] })
})
afterAll(async () => {
  await kit?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const caller = () => ({ ...OWNER, correlationId: crypto.randomUUID() })
const submit = (action: 'propose-note' | 'propose-edit', slug: string, payload: object) =>
  submitEntry(
    services,
    { intent: { action, target: fileOf(slug), payload: { summary: 'A definition', ...payload } } },
    caller(),
  )
const create = (slug: string, text: string) => submit('propose-note', slug, { kind: 'note', text })
const edit = (slug: string, text: string) => submit('propose-edit', slug, { diff: { type: 'replace', text } })
const refusalOf = async (answer: ReturnType<typeof submit>) => {
  const given = await answer
  return given.ok ? null : given.refusal
}

/** Approves and applies what the entry became. */
async function apply(answer: Awaited<ReturnType<typeof submit>>): Promise<void> {
  const id = answer.ok ? answer.value.resolution?.id : null
  if (!id) throw new Error(JSON.stringify(answer))
  await approveAndApply(id)
}
async function approveAndApply(id: string): Promise<void> {
  const row = await findProposal(kit.db, id)
  if (!row) throw new Error('no proposal')
  const digest = reviewDigest(row, await standingAgainst(await currentContent(kit.garden), row.changes))
  const approved = await approveProposal(services, { proposal_id: id, review_digest: digest }, OWNER)
  expect(approved.ok).toBe(true)
  await applyDue(createEngine(services))
  await syncAgents(kit)
}

const raised = (text: string) => text.replace('version: 1.0.0', 'version: 1.1.0')

describe('a proposed definition', () => {
  test('makes an agent by prose alone, which enters as draft', async () => {
    await apply(await create('maker', AGENT_FILE('maker')))
    const agent = await getAgent(kit, 'maker')
    expect(agent).toMatchObject({ status: 'draft', problems: [], source: { text: AGENT_FILE('maker') } })
  })

  test.each<[string, (text: string) => string, string, number | null]>([
    ['a missing key', (text) => text.replace(/^description:.*\n/m, ''), 'VALIDATION_FAILED', null],
    ['bad YAML', (text) => text.replace('version: 1.0.0', 'version: [1'), 'VALIDATION_FAILED', 7],
    ['another slug', (text) => text.replace('slug: fresh', 'slug: other'), 'VALIDATION_FAILED', 5],
    ['a model without an executor', (text) => text.replace('extractive', 'worker/x'), 'MODEL_UNAVAILABLE', 7],
    ['a model nobody knows', (text) => text.replace('extractive', 'oracle'), 'MODEL_UNAVAILABLE', 7],
    [
      'a schedule that is none',
      (text) => text.replace('status:', 'triggers:\n  cron: 61 * * * *\nstatus:'),
      'VALIDATION_FAILED',
      11,
    ],
    [
      'a zone that is none',
      (text) => text.replace('status:', 'triggers:\n  cron: 0 7 * * *\n  zone: Mars/Base\nstatus:'),
      'VALIDATION_FAILED',
      12,
    ],
  ])('with %s is refused, with its line', async (_, spoil, code, line) => {
    const refusal = await refusalOf(create('fresh', spoil(AGENT_FILE('fresh'))))
    expect(refusal).toMatchObject({ code, details: { inbox_id: expect.any(String), path: fileOf('fresh') } })
    if (line !== null) expect(refusal?.message.toLowerCase()).toContain(`line ${line}`)
  })

  test('with an unknown key passes: that is a warning', async () => {
    const text = AGENT_FILE('warned').replace('status:', 'colour: green\nstatus:')
    expect(await refusalOf(create('warned', text))).toBeNull()
    const { problems } = await checkDefinition(kit, { slug: 'warned', text, create: true })
    expect(problems).toMatchObject([{ severity: 'warning', code: 'key_unknown', line: 10 }])
  })

  test('that edits must raise the version', async () => {
    const text = AGENT_FILE('scout').replace('Answer', 'Always answer')
    expect(await refusalOf(edit('scout', text))).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: { problems: [{ code: 'version_not_raised', line: 6 }] },
    })
    expect(await refusalOf(edit('scout', text.replace('1.0.0', '0.9.0')))).not.toBeNull()
    await apply(await edit('scout', raised(text)))
    expect(await getAgent(kit, 'scout')).toMatchObject({ status: 'active', version: '1.1.0', problems: [] })
  })

  test('is judged while it is written as the gate will judge it', async () => {
    const taken = await checkDefinition(kit, { slug: 'leaver', text: AGENT_FILE('leaver'), create: true })
    expect(taken.problems.map((p) => p.code)).toEqual(['slug_taken'])
    const daily = 'triggers:\n  cron: 0 7 * * *\n  zone: Europe/Kyiv\nstatus:'
    const text = AGENT_FILE('leaver').replace('status:', daily)
    const checked = await checkDefinition(kit, { slug: 'leaver', text, create: false })
    expect(checked.problems.map((p) => p.code)).toEqual(['version_not_raised'])
    expect(checked.next_runs).toHaveLength(3)
  })

  test('that was faulty before it came here can still be paused', async () => {
    const parent = await kit.garden.head()
    const person = { name: 'Owner', email: 'owner@garden.example' }
    const content = AGENT_FILE('broken').replace('extractive', 'anthropic/claude')
    const changes = [{ path: fileOf('broken'), content }]
    const message = 'By hand'
    const commit = await kit.garden.commit({ parent, changes, message, author: person, committer: person })
    await kit.garden.updateBranch(parent, commit)
    await syncAgents(kit)
    const paused = await changeAgentStatus(services, { slug: 'broken', command: 'pause' }, OWNER)
    expect(paused).toMatchObject({ ok: true, value: { status: 'paused' } })
    const resumed = await changeAgentStatus(services, { slug: 'broken', command: 'resume' }, OWNER)
    expect(resumed).toMatchObject({ ok: false, refusal: { code: 'VALIDATION_FAILED' } })
    const agent = await getAgent(kit, 'broken')
    expect(agent?.allowed).toEqual(['archive'])
    expect(agent?.problems.map((p) => p.code)).toEqual(['version_not_raised', 'model_unavailable'])
  })
})

describe('a definition that comes back', () => {
  const textOf = async () => (await kit.garden.read(fileOf('changer')))?.text ?? ''
  const version = (n: string, text: string) => text.replace(/version: .*/, `version: ${n}`)
  const proposed = async (n: string) => {
    const answer = await edit('changer', version(n, await textOf()).replace(/\n*$/, `\nStep ${n}.\n`))
    if (!answer.ok) throw new Error(answer.refusal.message)
    return { proposal_id: answer.value.resolution?.id ?? '' }
  }
  const inHand = async (text: string) => {
    const parent = await kit.garden.head()
    const person = { name: 'Owner', email: 'owner@garden.example' }
    const changes = [{ path: fileOf('changer'), content: text }]
    const commit = await kit.garden.commit({
      parent,
      changes,
      message: 'By hand',
      author: person,
      committer: person,
    })
    await kit.garden.updateBranch(parent, commit)
    await syncAgents(kit)
  }
  const refusedFor = (code: string) => ({
    ok: false,
    refusal: { code: 'VALIDATION_FAILED', details: { problems: [{ code }] } },
  })

  test('by a revert is a new version with the old content, also behind other edits', async () => {
    await apply(await create('changer', AGENT_FILE('changer')))
    const first = await textOf()
    const edited = await proposed('1.1.0')
    await approveAndApply(edited.proposal_id)
    await inHand(version('1.2.0', (await textOf()).replace('name: changer', 'name: Changer')))
    const reverted = await revertProposal(services, edited, OWNER)
    if (!reverted.ok) throw new Error(reverted.refusal.message)
    expect(reverted.value.row.reasoning).toContain('The version of the definition rises.')
    await approveAndApply(reverted.value.row.proposal_id)
    expect(await textOf()).toBe(version('1.3.0', first.replace('name: changer', 'name: Changer')))
    await inHand(version('1.1.0', first.replace(/\n*$/, '\nStep 1.1.0.\n')))
  })

  test('by a revert that no longer applies stays as it is', async () => {
    const edited = await proposed('1.1.5')
    await approveAndApply(edited.proposal_id)
    const other = (await textOf()).replace('Step 1.1.5.', 'Step of somebody else.')
    await inHand(other)
    expect(await revertProposal(services, edited, OWNER)).toMatchObject({ refusal: { code: 'DIFF_INVALID' } })
    expect(await textOf()).toBe(other)
  })

  test('by a revert of its creation is a deletion, for which it must be archived', async () => {
    const { rows } = await kit.db.query<{ proposal_id: string }>(
      sql`SELECT proposal_id FROM proposal WHERE target_path = ${fileOf('maker')} AND action = 'propose-note'`,
    )
    const revert = () => revertProposal(services, rows[0] ?? { proposal_id: '' }, OWNER)
    expect(await revert()).toMatchObject({ ok: false, refusal: { code: 'INVALID_AGENT_TRANSITION' } })
    await changeAgentStatus(services, { slug: 'maker', command: 'archive' }, OWNER)
    const deletion = await revert()
    expect(deletion).toMatchObject({ ok: true, value: { row: { changes: [{ type: 'delete' }] } } })
    expect(deletion.ok && deletion.value.row.reasoning).not.toContain('version')
  })

  test('by a resubmission is judged against the file as it is now', async () => {
    const old = await proposed('1.2.0')
    await rejectProposal(services, { ...old, decision_note: 'Not this way, please.' }, OWNER)
    const again = await resubmitProposal(services, old, OWNER)
    if (!again.ok) throw new Error(again.refusal.message)
    await rejectProposal(
      services,
      { proposal_id: again.value.row.proposal_id, decision_note: 'Not this way, please.' },
      OWNER,
    )
    const sound = await textOf()
    await inHand(sound.replace('name: changer', 'name: ""'))
    expect(await resubmitProposal(services, old, OWNER)).toMatchObject(refusedFor('frontmatter_invalid'))
    await inHand(sound)
  })

  test('by force is judged when it is applied: it fails, and the file stays', async () => {
    const { proposal_id } = await proposed('1.3.0')
    const row = (await findProposal(kit.db, proposal_id)) as ProposalRow
    const digest = reviewDigest(row, await standingAgainst(await currentContent(kit.garden), row.changes))
    await approveProposal(services, { proposal_id, review_digest: digest }, OWNER)
    await inHand(version('2.0.0', await textOf()))
    const now = await textOf()
    await applyDue(createEngine(services))
    const failed = await findProposal(kit.db, proposal_id)
    expect(failed).toMatchObject({ status: 'FAILED', error: { code: 'conflict' } })
    const over_hash = failed?.error?.current_hash ?? ''
    const forced = await forceApply(services, { proposal_id, over_hash, reason: 'I want mine.' }, OWNER, {
      steppedUp: true,
    })
    expect(forced.ok).toBe(true)
    await applyDue(createEngine(services))
    expect(await findProposal(kit.db, proposal_id)).toMatchObject({
      status: 'FAILED',
      error: { code: 'validation_failed', message: expect.stringContaining('version') },
    })
    expect(await textOf()).toBe(now)
  })
})

test('an archived agent is deleted by an applied proposal; its events stay and its slug is not used again', async () => {
  const request = { slug: 'leaver', confirm: 'leaver' }
  expect(await proposeDeletion(services, request, OWNER)).toMatchObject({
    ok: false,
    refusal: { code: 'INVALID_AGENT_TRANSITION' },
  })
  await changeAgentStatus(services, { slug: 'leaver', command: 'archive' }, OWNER)
  await applyDue(createEngine(services))
  await syncAgents(kit)
  const mistyped = await proposeDeletion(services, { slug: 'leaver', confirm: 'leave' }, OWNER)
  expect(mistyped).toMatchObject({ ok: false, refusal: { code: 'VALIDATION_FAILED' } })
  const first = await proposeDeletion(services, request, OWNER)
  const again = await proposeDeletion(services, request, OWNER)
  if (!first.ok || !again.ok) throw new Error(JSON.stringify([first, again]))
  expect(again.value).toEqual({ ...first.value, unchanged: true })
  expect((await getAgent(kit, 'leaver'))?.status).toBe('archived')
  await approveAndApply(first.value.proposal_id)
  expect(await getAgent(kit, 'leaver')).toMatchObject({ status: 'deleted', allowed: [], source: null })
  const { rows } = await kit.db.query(
    sql`SELECT name FROM event WHERE resource_type = 'agent' AND resource_id = 'leaver' ORDER BY id`,
  )
  expect(rows.map((row) => row.name)).toEqual([
    'agent.created',
    'agent.activated',
    'agent.archived',
    'agent.deleted',
  ])
  const reused = await create('leaver', AGENT_FILE('leaver'))
  expect(reused).toMatchObject({ ok: false, refusal: { code: 'TARGET_EXISTS' } })
})
