import sql from 'sql-template-tag'
import { beforeEach, describe, expect, test } from 'vitest'
import { getProposal } from '#server/proposals/get-proposal.query.ts'
import { proposalCommands } from '#server/proposals/testing/commands.ts'
import {
  approve,
  digestNow,
  editOf,
  humanCommit,
  type Kit,
  noteOf,
  OWNER,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { applyDue, recoverApplying } from './apply-due.ts'
import { nextApplyIn, takeProposal } from './take-proposal.ts'
import { applyRoom } from './testing/apply-room.ts'

const room = applyRoom()
const { commits, git } = room
let kit: Kit
beforeEach(() => {
  kit = room.kit
})

const APPEND = { diff: { type: 'append', position: 'end', text: 'Mulched.' } }
const NOTE = 'this is how we want it'

describe('one proposal, one commit', () => {
  test('with its trailers, its author, and the object copies of an agent', async () => {
    const row = await approve(kit, await propose(kit, editOf('agents/gardener/_agent.md', APPEND)))
    const applied: string[] = []
    const onApplied = async (commit: string) => void applied.push(commit)
    expect(await applyDue(kit.engine({ onApplied }))).toEqual({ handled: 1, nextInMs: null })
    const done = await rowOf(kit, row.proposal_id)
    expect(done).toMatchObject({
      status: 'APPLIED',
      attempt: 1,
      rebased: false,
      applied_paths: ['agents/gardener/_agent.md'],
      applied_over_hash: row.target_hash,
      result_hash: row.changes[0]?.result_hash,
      lease_holder: null,
    })
    expect(applied).toEqual([done.git_commit])
    const trailers = await git('log', '-1', '--format=%(trailers:only)%an|%cn', 'main')
    for (const line of [
      `Proposal-Id: ${row.proposal_id}`,
      `Inbox-Entry: ${row.inbox_entry_id}`,
      'Action: propose-edit',
      'Approved-By: owner',
      `Base-Revision: ${row.base_revision}`,
      `Review-Digest: ${done.review_digest}`,
      'owner|Apply Engine',
    ])
      expect(trailers).toContain(line)
    expect((await kit.store.get('agents/gardener/_agent.md'))?.bytes).toEqual(
      (await kit.garden.read('agents/gardener/_agent.md'))?.bytes,
    )
    const modes = (await git('ls-tree', '-r', 'main'))
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 6))
    expect(new Set(modes)).toEqual(new Set(['100644']))
  })

  test('a text that imitates a trailer does not become one', async () => {
    const reasoning = 'Because.\n\nProposal-Id: prop_2026-01-01_aaaaaaaaaaaa'
    const row = await approve(
      kit,
      await propose(kit, editOf('notes/Beds/North.md', { ...APPEND, reasoning })),
    )
    await applyDue(kit.engine())
    expect(await commits()).toEqual([row.proposal_id])
    expect((await git('log', '--format=%B', 'main')).match(/^Proposal-Id: /gm)).toHaveLength(1)
  })

  test('several files are one commit; a deletion removes the file', async () => {
    const changes = [
      { path: 'Beds/North.md', diff: { type: 'delete' } },
      { path: 'Beds/South.md', ...APPEND },
      { path: 'Beds/East.md', diff: { type: 'create', text: '# East\n' } },
    ]
    const row = await approve(kit, await propose(kit, editOf('notes/Beds/North.md', { changes })))
    await applyDue(kit.engine())
    expect(await rowOf(kit, row.proposal_id)).toMatchObject({ status: 'APPLIED', rebased: false })
    expect(await kit.garden.read('Beds/North.md')).toBeNull()
    expect((await kit.garden.read('Beds/East.md'))?.text).toBe('# East\n')
    expect(await commits()).toHaveLength(1)
  })
})

describe('the hold and the queue', () => {
  test('nothing is applied before the hold is over, and an undo in it leaves no commit', async () => {
    const row = await approve(kit, await propose(kit, noteOf('A.md', 'a\n')))
    await kit.db.query(sql`UPDATE proposal SET apply_not_before = clock_timestamp() + interval '1 hour'`)
    expect(await applyDue(kit.engine())).toMatchObject({ handled: 0 })
    expect(await nextApplyIn(kit.worker.db)).toBeGreaterThan(3_000_000)
    await proposalCommands.undo(kit.services, row, OWNER)
    expect(await nextApplyIn(kit.worker.db)).toBeNull()
    await kit.db.query(sql`UPDATE proposal SET apply_not_before = clock_timestamp()`)
    expect(await applyDue(kit.engine())).toMatchObject({ handled: 0 })
    expect(await commits()).toEqual([])
  })

  test('after the take an undo is refused', async () => {
    const row = await approve(kit, await propose(kit, noteOf('A.md', 'a\n')))
    const leased = await takeProposal(kit.worker.db, 'other-host:1:x')
    expect(await proposalCommands.undo(kit.services, row, OWNER)).toMatchObject({
      refusal: {
        code: 'INVALID_TRANSITION',
        details: { from: 'APPLYING', allowed: ['applied', 'fail', 'retake'] },
      },
    })
    expect(leased).toMatchObject({ attempt: 1, fence: 1 })
    expect(await recoverApplying(kit.engine())).toBe(0)
    expect(await takeProposal(kit.worker.db, 'other-host:2:y')).toBeNull()
  })

  test('one target is applied in the order of the decisions; a follower waits for a head that is leased', async () => {
    const texts = ['one', 'two', 'three']
    const rows = []
    for (const text of texts) {
      const diff = { type: 'append', position: 'end', text }
      rows.push(await propose(kit, editOf('notes/Beds/North.md', { diff, summary: text })))
    }
    for (const row of [...rows].reverse()) await approve(kit, row)
    const first = rows[2]
    await kit.db.query(
      sql`UPDATE proposal SET apply_not_before = clock_timestamp() + interval '1 hour' WHERE proposal_id = ${first?.proposal_id}`,
    )
    expect(await applyDue(kit.engine())).toMatchObject({ handled: 0 })
    await kit.db.query(sql`UPDATE proposal SET apply_not_before = clock_timestamp()`)
    await Promise.all([1, 2, 3].map(() => applyDue(kit.engine())))
    await applyDue(kit.engine())
    expect((await kit.garden.read('Beds/North.md'))?.text).toMatch(/three\ntwo\none\n$/)
    expect(await commits()).toEqual(rows.map((row) => row.proposal_id))
    expect((await rowOf(kit, rows[0]?.proposal_id ?? '')).rebased).toBe(true)
  })
})

describe('conflicts', () => {
  const replace = (text: string) =>
    propose(kit, editOf('notes/Beds/North.md', { diff: { type: 'replace', text }, summary: 'Replaces' }))

  test('two edits of one target: the second fails and overwrites nothing', async () => {
    const [one, two] = [await replace('# One\n'), await replace('# Two\n')]
    await approve(kit, one)
    await approve(kit, two)
    await applyDue(kit.engine())
    expect((await kit.garden.read('Beds/North.md'))?.text).toBe('# One\n')
    expect(await rowOf(kit, two.proposal_id)).toMatchObject({
      status: 'FAILED',
      error: { code: 'conflict', current_hash: (await kit.garden.read('Beds/North.md'))?.sha256 },
    })
    expect(await commits()).toEqual([one.proposal_id])
  })

  test('forced over exactly the stated content; a further change fails again', async () => {
    const row = await approve(kit, await replace('# Mine\n'))
    await humanCommit(kit, 'Beds/North.md', 'By hand.\n')
    await applyDue(kit.engine())
    const id = row.proposal_id
    const force = (over_hash: string) =>
      proposalCommands.force(kit.services, { proposal_id: id, over_hash, reason: NOTE }, OWNER, true)
    const hash = async () => (await kit.garden.read('Beds/North.md'))?.sha256 ?? ''
    expect(await force('a'.repeat(64))).toMatchObject({ refusal: { code: 'TARGET_CHANGED' } })
    expect(await force(await hash())).toMatchObject({ ok: true })
    await humanCommit(kit, 'Beds/North.md', 'By hand again.\n')
    await applyDue(kit.engine())
    expect(await rowOf(kit, id)).toMatchObject({ status: 'FAILED', error: { code: 'conflict' } })
    const over = await hash()
    await force(over)
    await applyDue(kit.engine())
    expect(await rowOf(kit, id)).toMatchObject({ status: 'APPLIED', applied_over_hash: over, rebased: false })
    expect((await kit.garden.read('Beds/North.md'))?.text).toBe('# Mine\n')
    expect(await git('log', '-1', '--format=%B', 'main')).toContain(`Forced-Over: ${over}`)
  })

  test('forced is held like an approval: undone in time it overwrites nothing', async () => {
    const { proposal_id } = await approve(kit, await replace('# Mine\n'))
    await humanCommit(kit, 'Beds/North.md', 'By hand.\n')
    await applyDue(kit.engine())
    Object.assign(kit.services.env, { APPLY_HOLD_SECONDS: 600 })
    const over_hash = (await kit.garden.read('Beds/North.md'))?.sha256 ?? ''
    await kit.db.query(
      sql`UPDATE proposal SET decision_mode = 'rule', reason_code = 'other' WHERE proposal_id = ${proposal_id}`,
    )
    await proposalCommands.force(kit.services, { proposal_id, over_hash, reason: NOTE }, OWNER, true)
    expect(await rowOf(kit, proposal_id)).toMatchObject({ decision_mode: 'manual', reason_code: null })
    expect(await applyDue(kit.engine())).toMatchObject({ handled: 0 })
    expect(await proposalCommands.undo(kit.services, { proposal_id }, OWNER)).toMatchObject({ ok: true })
    expect(await rowOf(kit, proposal_id)).toMatchObject({ status: 'PENDING', force_over_hash: null })
    expect((await kit.garden.read('Beds/North.md'))?.text).toBe('By hand.\n')
  })

  test('a pending one is approved by force, and undone and forced again, over exactly the stated content', async () => {
    const { proposal_id } = await replace('# Mine\n')
    await humanCommit(kit, 'Beds/North.md', 'By hand.\n')
    const hash = async () => (await kit.garden.read('Beds/North.md'))?.sha256 ?? ''
    const force = async () => {
      const review_digest = await digestNow(kit, await rowOf(kit, proposal_id))
      const override = { over_hash: await hash(), reason: NOTE }
      const input = { proposal_id, review_digest, force: override }
      expect(await proposalCommands.approve(kit.services, input, OWNER, true)).toMatchObject({ ok: true })
    }
    await force()
    expect(await proposalCommands.undo(kit.services, { proposal_id }, OWNER)).toMatchObject({ ok: true })
    expect(await rowOf(kit, proposal_id)).toMatchObject({ status: 'PENDING', force_over_hash: null })
    expect(await applyDue(kit.engine())).toMatchObject({ handled: 0 })
    expect((await kit.garden.read('Beds/North.md'))?.text).toBe('By hand.\n')
    await force()
    const over = await hash()
    await applyDue(kit.engine())
    const done = await rowOf(kit, proposal_id)
    expect(done).toMatchObject({ status: 'APPLIED', applied_over_hash: over, rebased: false })
    expect((await kit.garden.read('Beds/North.md'))?.text).toBe('# Mine\n')
    const message = await git('log', '-1', '--format=%B', 'main')
    expect(message).toContain(`Forced-Over: ${over}`)
    expect(message).toContain(`Proposal-Id: ${proposal_id}`)
    expect(await commits()).toEqual([proposal_id])
    expect(await room.consistent()).toEqual([])
  })

  test('a further change after an approval by force is a conflict and overwrites nothing', async () => {
    const { proposal_id } = await replace('# Mine\n')
    await humanCommit(kit, 'Beds/North.md', 'By hand.\n')
    const read = () => kit.garden.read('Beds/North.md')
    const review_digest = await digestNow(kit, await rowOf(kit, proposal_id))
    const input = {
      proposal_id,
      review_digest,
      force: { over_hash: (await read())?.sha256 ?? '', reason: NOTE },
    }
    expect(await proposalCommands.approve(kit.services, input, OWNER, true)).toMatchObject({ ok: true })
    await humanCommit(kit, 'Beds/North.md', 'By hand again.\n')
    await applyDue(kit.engine())
    const now = await read()
    expect(now?.text).toBe('By hand again.\n')
    const error = { code: 'conflict', current_hash: now?.sha256 }
    expect(await rowOf(kit, proposal_id)).toMatchObject({ status: 'FAILED', error })
    expect(await commits()).toEqual([])
    // What failed so is forced as any other conflict.
    const again = { proposal_id, over_hash: now?.sha256 ?? '', reason: NOTE }
    expect(await proposalCommands.force(kit.services, again, OWNER, true)).toMatchObject({ ok: true })
    await applyDue(kit.engine())
    expect((await read())?.text).toBe('# Mine\n')
  })

  test('tags are added and taken away over whatever the note has become', async () => {
    const tag = (payload: object) => ({
      intent: { action: 'propose-tag' as const, target: 'notes/Beds/South.md', payload: { ...payload } },
    })
    const row = await approve(kit, await propose(kit, tag({ add: ['sunny'], remove: ['bed'] })))
    await humanCommit(kit, 'Beds/South.md', '---\ntags: [bed, wet]\ntitle: S\n---\nOther.\n')
    await applyDue(kit.engine())
    expect(await rowOf(kit, row.proposal_id)).toMatchObject({ status: 'APPLIED', rebased: true })
    expect((await kit.garden.read('Beds/South.md'))?.text).toBe(
      '---\ntags: [ wet, sunny ]\ntitle: S\n---\nOther.\n',
    )
  })

  test.each([
    ['deleted since', null, 'target_missing'],
    ['created since', 'x\n', 'target_exists'],
  ])('%s', async (_, content, code) => {
    const made = content ? noteOf('New.md', 'n\n') : editOf('notes/Beds/North.md', APPEND)
    const row = await approve(kit, await propose(kit, made))
    await humanCommit(kit, content ? 'New.md' : 'Beds/North.md', content)
    await applyDue(kit.engine())
    expect(await rowOf(kit, row.proposal_id)).toMatchObject({ status: 'FAILED', error: { code } })
  })
})

describe('successors', () => {
  test('what was applied is taken back by an ordinary proposal', async () => {
    const before = (await kit.garden.read('Beds/North.md'))?.text
    const row = await approve(kit, await propose(kit, editOf('notes/Beds/North.md', APPEND)))
    await applyDue(kit.engine())
    await humanCommit(kit, 'Beds/Other.md', 'x\n')
    const reverted = await proposalCommands.revert(kit.services, row, OWNER)
    const again = await proposalCommands.revert(kit.services, row, OWNER)
    if (!reverted.ok || !again.ok) throw new Error('a revert was refused')
    expect(again.value).toMatchObject({ unchanged: true, inbox_id: reverted.value.inbox_id })
    const id = reverted.value.proposal.proposal_id
    await approve(kit, await rowOf(kit, id))
    await applyDue(kit.engine())
    expect((await kit.garden.read('Beds/North.md'))?.text).toBe(before)
    expect(await git('log', '-1', '--format=%B', 'main')).toContain(`Reverts: ${row.proposal_id}`)
    const view = await getProposal(kit.services, row.proposal_id, 'owner')
    expect(view).toMatchObject({
      value: { lineage: { reverted_by: id }, changes: [{ unified: expect.stringContaining('+Mulched.') }] },
    })
  })

  test('a rejected one is resubmitted on a fresh base, once however often one asks', async () => {
    const row = await propose(kit, editOf('notes/Beds/North.md', APPEND))
    await proposalCommands.reject(kit.services, { proposal_id: row.proposal_id, decision_note: NOTE }, OWNER)
    await humanCommit(kit, 'Beds/North.md', '# North bed\n\nOther.\n')
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => proposalCommands.resubmit(kit.services, row, OWNER)),
    )
    const ids = new Set(answers.map((a) => (a.ok ? a.value.proposal.proposal_id : a.refusal.code)))
    expect(ids.size).toBe(1)
    const next = await rowOf(kit, [...ids][0] ?? '')
    expect(next).toMatchObject({
      status: 'PENDING',
      base_revision: await kit.garden.head(),
      relations: { resubmitted_from: row.proposal_id },
    })
    expect((await rowOf(kit, row.proposal_id)).relations).toEqual({ resubmitted_as: next.proposal_id })
  })
})
