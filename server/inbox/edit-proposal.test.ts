import { execFileSync } from 'node:child_process'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EditInput } from '#contracts/proposal-commands.contract.ts'
import type { Result } from '#domain/kernel/result.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { ownerFeedback } from '#server/contexts/owner-feedback.ts'
import { undoApproval } from '#server/proposals/decide-proposal.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { proposalCommands } from '#server/proposals/testing/commands.ts'
import {
  AGENT,
  approve,
  digestNow,
  editOf,
  gardenWith,
  humanCommit,
  noteOf,
  OWNER,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { editProposal } from './edit-proposal.ts'

let kit: NewKit
let count = 0
beforeAll(async () => {
  kit = await newKit()
})
afterAll(() => kit.end())

const LINES = Array.from({ length: 40 }, (_, i) => `Line ${i + 1}.`)
const textOf = (changed: Record<number, string>) =>
  LINES.map((line, i) => `${changed[i + 1] ?? line}\n`).join('')
const PROPOSED = { 3: 'Third, proposed.', 20: 'Twentieth, proposed.', 38: 'Thirty-eighth, proposed.' }
const NOTE = 'the last one is not true'

/** An agent's proposal of three hunks over a new file. */
async function threeHunks(): Promise<{ row: ProposalRow; path: string }> {
  const path = `Edits/${++count}.md`
  await humanCommit(kit, path, textOf({}))
  const diff = { type: 'replace', text: textOf(PROPOSED) }
  const origin = { agentSlug: 'gardener', agentVersion: '1.0.0', safeOutputs: ['propose-edit'] }
  return { path, row: await propose(kit, editOf(`notes/${path}`, { diff }), AGENT, origin) }
}
type Asked = Omit<EditInput, 'proposal_id' | 'remainder'> & Partial<Pick<EditInput, 'remainder'>>
const edit = async (row: ProposalRow, asked: Asked) =>
  editProposal(
    kit.services,
    { proposal_id: row.proposal_id, review_digest: await digestNow(kit, row), remainder: 'reject', ...asked },
    OWNER,
  )
function given<T>(outcome: Result<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`)
  return outcome.value
}
const codeOf = (outcome: Result<unknown>) => (outcome.ok ? 'ok' : outcome.refusal.code)
const git = (...args: string[]) => execFileSync('git', ['-C', kit.gitdir, ...args], { encoding: 'utf8' })
const textNow = async (path: string) => (await kit.garden.read(path))?.text
const detailsOf = async (id: string, name: string) =>
  (
    await kit.db.query<{ details: Record<string, unknown> }>(
      sql`SELECT details FROM event WHERE resource_id = ${id} AND name = ${name} AND outcome = 'ok'`,
    )
  ).rows[0]?.details

describe('2 of 3 hunks and one edited line', () => {
  test('are one commit, one child and three digests, and the agent hears of the third hunk', async () => {
    const { row, path } = await threeHunks()
    const before = Number(git('rev-list', '--count', 'main'))
    const text = textOf({ ...PROPOSED, 38: 'Line 38.', 20: 'Twentieth, by the owner.' })
    const asked = { changes: [{ path, hunks: [1, 2], text }], decision_note: NOTE, reason_code: 'wrong_fact' }
    const made = given(await edit(row, asked as Asked))
    expect(made).toMatchObject({ unchanged: false, remainder: null, row: { status: 'APPROVED' } })
    const child = made.row.proposal_id
    await applyDue(kit.engine())

    expect(await textNow(path)).toBe(text)
    expect(Number(git('rev-list', '--count', 'main'))).toBe(before + 1)
    const message = git('log', '-1', '--format=%B', 'main')
    expect(message).toContain(`Proposal-Id: ${child}\n`)
    expect(message).toContain(`Edited-From: ${row.proposal_id}\n`)
    const applied = await rowOf(kit, child)
    expect(applied).toMatchObject({ status: 'APPLIED', agent_slug: 'gardener', rebased: false })

    expect(await detailsOf(row.proposal_id, 'proposal.edited')).toMatchObject({
      superseded_by: child,
      proposed_digest: row.content_digest,
      edited_digest: applied.content_digest,
      hunks: [{ path, accepted: [1, 2], of: 3, lines_edited: 1 }],
      remainder: 'reject',
    })
    expect(await detailsOf(child, 'proposal.applied')).toMatchObject({
      edited_from: row.proposal_id,
      edited_digest: applied.content_digest,
      applied_digest: applied.result_hash,
    })
    const [feedback] = await ownerFeedback(kit.db, 'gardener')
    expect(feedback).toMatchObject({
      proposal_id: row.proposal_id,
      decision: 'approved_as_edited',
      note: NOTE,
      reason_code: 'wrong_fact',
      changes: [{ path, hunks: 3, rejected_hunks: [{ hunk: 3 }] }],
    })
    expect(JSON.stringify(feedback)).toContain('+Thirty-eighth, proposed.')
    expect(JSON.stringify(feedback)).toContain('+Twentieth, by the owner.')
    expect(JSON.stringify(feedback)).not.toContain('+Third, proposed.')
  })

  test('the same edit again finds what it made, also once it is applied', async () => {
    const { row, path } = await threeHunks()
    const asked = { changes: [{ path, hunks: [2] }], remainder: 'propose' as const }
    const first = given(await edit(row, asked))
    const ids = [first.row.proposal_id, first.remainder?.proposal_id]
    await applyDue(kit.engine())
    const again = given(await edit(row, asked))
    expect(again.unchanged).toBe(true)
    expect([again.row.proposal_id, again.remainder?.proposal_id]).toEqual(ids)
    expect(codeOf(await edit(row, { changes: [{ path, hunks: [1] }] }))).toBe('INVALID_TRANSITION')
  })
})

describe('what is left out', () => {
  test('waits as a proposal of its own, that is free of conflict once the rest is applied', async () => {
    const { row, path } = await threeHunks()
    const text = textOf({ 3: 'Third, by the owner.', 38: PROPOSED[38] })
    const { remainder } = given(
      await edit(row, { changes: [{ path, hunks: [1, 3], text }], remainder: 'propose' }),
    )
    if (!remainder) throw new Error('no remainder')
    expect(remainder).toMatchObject({
      status: 'PENDING',
      relations: { remainder_of: row.proposal_id },
      changes: [{ unified: expect.stringContaining('+Twentieth, proposed.') }],
    })
    await applyDue(kit.engine())
    await approve(kit, remainder)
    await applyDue(kit.engine())
    expect(await textNow(path)).toBe(textOf({ ...PROPOSED, 3: 'Third, by the owner.' }))
    // The hunk waited for a decision of its own: the agent learns of the owner's own line alone.
    const [feedback] = await ownerFeedback(kit.db, 'gardener')
    expect(feedback).toMatchObject({ changes: [{ path, edited: expect.stringContaining('by the owner') }] })
    expect(JSON.stringify(feedback)).not.toContain('rejected_hunks')
  })

  test('is refused as a proposal where it does not fit the text that was written, and nothing happens', async () => {
    const { row, path } = await threeHunks()
    const text = `${'Written anew.\n'.repeat(3)}`
    const outcome = await edit(row, { changes: [{ path, hunks: [1], text }], remainder: 'propose' })
    expect(codeOf(outcome)).toBe('DIFF_INVALID')
    expect((await rowOf(kit, row.proposal_id)).status).toBe('PENDING')
    expect(codeOf(await edit(row, { changes: [{ path, hunks: [1], text }] }))).toBe('ok')
  })

  test('may be a whole file', async () => {
    const { row: one, path } = await threeHunks()
    const made = editOf(`notes/${path}`, {
      changes: [
        { path, diff: { type: 'replace', text: textOf(PROPOSED) } },
        { path: 'Beds/South.md', diff: { type: 'append', position: 'end', text: 'Basil.' } },
      ],
    })
    await proposalCommands.reject(kit.services, { proposal_id: one.proposal_id, decision_note: NOTE }, OWNER)
    const row = await propose(kit, made)
    const { row: child, remainder } = given(
      await edit(row, { changes: [{ path, hunks: [] }], remainder: 'propose' }),
    )
    expect(child.changes).toMatchObject([{ path: 'Beds/South.md', type: 'append' }])
    expect(remainder?.changes).toEqual([row.changes[0]])
  })
})

describe('an edited approval', () => {
  test('is taken back like any other: the child waits, the old one stays discarded', async () => {
    const { row, path } = await threeHunks()
    const { row: child } = given(await edit(row, { changes: [{ path, hunks: [1] }] }))
    given(await undoApproval(kit, { proposal_id: child.proposal_id }, OWNER))
    expect((await rowOf(kit, child.proposal_id)).status).toBe('PENDING')
    expect((await rowOf(kit, row.proposal_id)).status).toBe('DISCARDED')
    const again = given(
      await edit(await rowOf(kit, child.proposal_id), { changes: [{ path, text: textOf({ 3: 'x' }) }] }),
    )
    expect(again.row.relations).toEqual({ edited_from: child.proposal_id })
  })

  test('of which nothing was edited is an approval of the proposal itself', async () => {
    const { row, path } = await threeHunks()
    const made = given(await edit(row, { changes: [{ path, hunks: [3, 1, 2], text: textOf(PROPOSED) }] }))
    expect(made.row).toMatchObject({ proposal_id: row.proposal_id, status: 'APPROVED' })
  })

  test.each([
    ['no review', { review_digest: undefined }, 'STALE_REVIEW'],
    ['another review', { review_digest: 'a'.repeat(64) }, 'STALE_REVIEW'],
    ['a hunk that is not there', { changes: [{ hunks: [4] }] }, 'VALIDATION_FAILED'],
    ['a hunk twice', { changes: [{ hunks: [1, 1] }] }, 'VALIDATION_FAILED'],
    ['a file that is not there', { changes: [{ path: 'Other.md', hunks: [1] }] }, 'VALIDATION_FAILED'],
    ['nothing left', { changes: [{ hunks: [] }] }, 'VALIDATION_FAILED'],
    ['a text with a NUL', { changes: [{ text: 'a\0b\n' }] }, 'VALIDATION_FAILED'],
  ])('with %s is refused, and the proposal waits on', async (_, other, code) => {
    const { row, path } = await threeHunks()
    const { changes = [{ hunks: [1] }], ...more } = other as { changes?: object[] }
    const asked = { ...more, changes: changes.map((one) => ({ path, ...one })) }
    expect(codeOf(await edit(row, asked))).toBe(code)
    expect(await rowOf(kit, row.proposal_id)).toMatchObject({ status: 'PENDING', version: 1 })
  })

  test('over a file that changed meanwhile is refused', async () => {
    const { row, path } = await threeHunks()
    await humanCommit(kit, path, textOf({ 10: 'By hand.' }))
    expect(codeOf(await edit(row, { changes: [{ path, hunks: [1] }] }))).toBe('TARGET_CHANGED')
    const append = { diff: { type: 'append', position: 'end', text: 'More.' } }
    const grown = await propose(kit, editOf(`notes/${path}`, append))
    await humanCommit(kit, path, textOf({ 11: 'By hand again.' }))
    const text = textOf({ 12: 'x' })
    expect(codeOf(await edit(grown, { changes: [{ path, text }] }))).toBe('TARGET_CHANGED')
  })

  test('of which another file changes between its review and its child is refused, and nothing is recorded', async () => {
    const paths = [`Edits/${++count}.md`, `Edits/${++count}.md`] as const
    for (const path of paths) await humanCommit(kit, path, textOf({}))
    const diff = { type: 'replace', text: textOf(PROPOSED) }
    const files = editOf(`notes/${paths[0]}`, { changes: paths.map((path) => ({ path, diff })) })
    const row = await propose(kit, files)
    let reads = 0
    const head = async () => {
      if (++reads === 2) await humanCommit(kit, paths[1], textOf({ 10: 'By hand.' }))
      return kit.garden.head()
    }
    const services = { ...kit.services, garden: gardenWith(kit.garden, { head }) }
    const { proposal_id } = row
    const asked = { changes: [{ path: paths[0], hunks: [1] }], remainder: 'reject' as const }
    const review_digest = await digestNow(kit, row)
    const outcome = await editProposal(services, { proposal_id, review_digest, ...asked }, OWNER)
    expect([codeOf(outcome), reads]).toEqual(['TARGET_CHANGED', 2])
    expect(await rowOf(kit, proposal_id)).toMatchObject({ status: 'PENDING', version: 1, relations: {} })
  })

  test.each(['', 'x'])('is kept although the diff for the agent is cut at an emoji (%j)', async (pad) => {
    const path = `Edits/${++count}.md`
    const row = await propose(kit, noteOf(path, 'Proposed.\n'))
    expect(codeOf(await edit(row, { changes: [{ path, text: `${pad}${'🌻'.repeat(400)}\n` }] }))).toBe('ok')
  })

  test('and an approval of the same at once: exactly one', async () => {
    for (let round = 0; round < 3; round++) {
      const { row, path } = await threeHunks()
      const review_digest = await digestNow(kit, row)
      const { proposal_id } = row
      const outcomes = await Promise.all([
        edit(row, { changes: [{ path, hunks: [1] }] }),
        proposalCommands.approve(kit.services, { proposal_id, review_digest }, OWNER),
        edit(row, { changes: [{ path, hunks: [2] }] }),
      ])
      expect(outcomes.filter((o) => o.ok)).toHaveLength(1)
    }
  })
})
