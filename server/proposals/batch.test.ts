/** Several decided by one request: each by itself, and a repeat changes nothing. Real PostgreSQL, real git, the real Apply Engine. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BatchAnswer } from '#contracts/proposal-batch.contract.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { alikeProposals } from './alike.query.ts'
import { combinedDiff } from './combined-diff.query.ts'
import { decideBatch } from './decide-batch.ts'
import { keepReviewOrder } from './keep-review-order.ts'
import { previewBatch } from './preview-batch.query.ts'
import {
  approve,
  digestNow,
  editOf,
  eventsOf,
  gardenWith,
  humanCommit,
  noteOf,
  OWNER,
  propose,
  rowOf,
} from './testing/garden-kit.ts'
import { type NewKit, newKit } from './testing/new-kit.ts'

let kit: NewKit
let count = 0
beforeAll(async () => {
  kit = await newKit()
})
afterAll(() => kit.end())

const NOTE = 'this is not what we need'
const UNKNOWN = 'prop_2026-01-01_000000000000'
const fresh = async () => (await propose(kit, noteOf(`New ${++count}.md`, `${count}\n`))).proposal_id
const many = (n: number) => Promise.all(Array.from({ length: n }, fresh))
const expire = (id: string) =>
  kit.db.query(sql`UPDATE proposal SET expires_at = clock_timestamp() WHERE proposal_id = ${id}`)
const decide = async (proposal_ids: string[], more: Partial<Parameters<typeof decideBatch>[1]> = {}) => {
  const answer = await decideBatch(kit.services, { proposal_ids, status: 'APPROVED', ...more }, OWNER)
  if (!answer.ok) throw new Error(answer.refusal.code)
  return answer.value
}
const outcomes = ({ results }: BatchAnswer) =>
  results.map((r) => (r.outcome === 'error' ? r.code : r.outcome))
const commits = async () => {
  const git = await promisify(execFile)('git', ['--git-dir', kit.gitdir, 'log', '--format=%B'])
  return git.stdout.match(/^Proposal-Id: .*$/gm)?.length ?? 0
}
const rowsNow = async () =>
  (await kit.db.query(sql`SELECT * FROM proposal ORDER BY proposal_id`)).rows as unknown[]

/** An edit of a file that a person has changed since. */
async function inConflict(path: string): Promise<string> {
  await humanCommit(kit, path, 'Before.\n')
  const edit = editOf(`notes/${path}`, { diff: { type: 'replace', text: 'Proposed.\n' } })
  const { proposal_id } = await propose(kit, edit)
  await humanCommit(kit, path, 'Changed by hand.\n')
  return proposal_id
}

describe('fifty at once', () => {
  test('46 commits, four typed outcomes, and a repeat changes nothing', async () => {
    const conflicts = [await inConflict('A.md'), await inConflict('B.md'), await inConflict('C.md')]
    const late = await fresh()
    const ids = [...(await many(23)), ...conflicts, late, ...(await many(23))]
    await expire(late)
    const preview = await previewBatch(kit.services, { proposal_ids: ids, status: 'APPROVED' })
    expect(preview).toMatchObject({ commits: 46, files: 46, conflicts: 3, expired: 1 })
    const answer = await decide(ids)
    expect(answer).toMatchObject({ updated: 46, skipped: 0 })
    expect(answer.results.map(({ proposal_id }) => proposal_id)).toEqual(ids)
    expect(answer.errors).toEqual([
      ...conflicts.map((proposal_id) =>
        expect.objectContaining({ proposal_id, code: 'TARGET_CHANGED', status: 'PENDING' }),
      ),
      expect.objectContaining({ proposal_id: late, code: 'INVALID_TRANSITION', status: 'EXPIRED' }),
    ])
    expect(await applyDue(kit.engine())).toEqual({ handled: 46, nextInMs: null })
    expect(await commits()).toBe(46)
    const before = await rowsNow()
    expect(await decide(ids)).toMatchObject({ updated: 0, skipped: 46, errors: answer.errors })
    expect(await applyDue(kit.engine())).toMatchObject({ handled: 0 })
    expect(await commits()).toBe(46)
    expect(await rowsNow()).toEqual(before)
  })
})

describe('each by itself', () => {
  test('in the order given, an id twice is skipped, an unknown one is told', async () => {
    const [first = '', second = ''] = await many(2)
    const answer = await decide([second, UNKNOWN, first, second])
    expect(outcomes(answer)).toEqual(['updated', 'NOT_FOUND', 'updated', 'skipped'])
    const [a, b] = [await rowOf(kit, second), await rowOf(kit, first)]
    expect((a.decided_at ?? 0) < (b.decided_at ?? 0)).toBe(true)
  })

  test('one that fails unforeseen keeps no other from being decided', async () => {
    const [first = '', second = '', third = ''] = await many(3)
    let asked = 0
    const head = async () => {
      if (++asked === 2) throw new Error('the disk is gone')
      return kit.garden.head()
    }
    const services = { ...kit.services, garden: gardenWith(kit.garden, { head }) }
    const answer = await decideBatch(
      services,
      { proposal_ids: [first, second, third], status: 'APPROVED' },
      OWNER,
    )
    expect(answer.ok && outcomes(answer.value)).toEqual(['updated', 'INTERNAL_ERROR', 'updated'])
    expect(outcomes(await decide([first, second, third]))).toEqual(['skipped', 'updated', 'skipped'])
  })

  test('a skipped one leaves no event, also when it is applied by then', async () => {
    const id = await fresh()
    await decide([id])
    await applyDue(kit.engine())
    const before = await eventsOf(kit, id)
    expect(outcomes(await decide([id]))).toEqual(['skipped'])
    expect(await eventsOf(kit, id)).toEqual(before)
  })

  test('a digest that is given binds; one that is not is pinned as things are', async () => {
    const [first = '', second = ''] = await many(2)
    const review_digests = { [first]: 'a'.repeat(64) }
    expect(outcomes(await decide([first, second], { review_digests }))).toEqual(['STALE_REVIEW', 'updated'])
    const row = await rowOf(kit, second)
    expect(row.review_digest).toBe(await digestNow(kit, row))
  })
})

describe('rejections', () => {
  test('one note serves all; without one nothing is decided', async () => {
    const ids = [await inConflict('D.md'), ...(await many(2))]
    for (const decision_note of [undefined, 'too short'])
      expect(
        await decideBatch(kit.services, { proposal_ids: ids, status: 'REJECTED', decision_note }, OWNER),
      ).toMatchObject({ ok: false, refusal: { code: 'VALIDATION_FAILED' } })
    const given = { status: 'REJECTED', decision_note: NOTE, reason_code: 'style' } as const
    expect(await decide(ids, given)).toMatchObject({ updated: 3, errors: [] })
    for (const id of ids)
      expect(await rowOf(kit, id)).toMatchObject({
        status: 'REJECTED',
        decision_note: NOTE,
        reason_code: 'style',
      })
    expect(await decide(ids, given)).toMatchObject({ updated: 0, skipped: 3 })
    expect(outcomes(await decide(ids))).toEqual(Array(3).fill('INVALID_TRANSITION'))
  })
})

describe('the preview', () => {
  test('says what would be left out, and why, and writes nothing', async () => {
    const [late = '', approved = '', clean = ''] = await many(3)
    await expire(late)
    await approve(kit, await rowOf(kit, approved))
    const conflict = await inConflict('E.md')
    const risk = JSON.stringify({ score: 70, reasons: [] })
    await kit.db.query(
      sql`UPDATE proposal SET risk = ${risk}::jsonb WHERE proposal_id IN (${clean}, ${late})`,
    )
    const before = await rowsNow()
    const ids = [late, approved, conflict, UNKNOWN, clean, clean]
    const preview = await previewBatch(kit.services, { proposal_ids: ids, status: 'APPROVED' })
    expect(preview.excluded.map(({ proposal_id, reason }) => [proposal_id, reason])).toEqual([
      [late, 'expired'],
      [approved, 'decided'],
      [conflict, 'conflict'],
      [UNKNOWN, 'not_found'],
    ])
    const review_digest = await digestNow(kit, await rowOf(kit, clean))
    expect(preview.proposals).toMatchObject([
      { proposal_id: clean, review_digest, overlaps: false, risk: 'high' },
    ])
    expect(preview.highest_risk).toBe('high')
    const rejected = await previewBatch(kit.services, { proposal_ids: ids, status: 'REJECTED' })
    expect(rejected.proposals.map(({ proposal_id }) => proposal_id)).toEqual([late, conflict, clean])
    expect(rejected.commits).toBe(0)
    expect(await rowsNow()).toEqual(before)
  })

  test('names what will be in conflict after an earlier one of the batch, as the Apply Engine finds it', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => `Line ${i}.\n`)
    const text = (...changed: number[]) =>
      lines.map((line, i) => (changed.includes(i) ? `Changed ${i}.\n` : line)).join('')
    await humanCommit(kit, 'F.md', text())
    const edit = (diff: object) => propose(kit, editOf('notes/F.md', { diff }))
    const rows = [
      await edit({ type: 'replace', text: text(0) }),
      await edit({ type: 'append', position: 'end', text: 'End.' }),
      // Its lines are free of the others', and it is applied to nothing but what it was reviewed on.
      await edit({ type: 'replace', text: text(6) }),
    ]
    const ids = rows.map(({ proposal_id }) => proposal_id)
    const preview = await previewBatch(kit.services, { proposal_ids: ids, status: 'APPROVED' })
    expect(preview.proposals.map(({ overlaps }) => overlaps)).toEqual([false, false, true])
    const combined = await combinedDiff(kit.services, { proposal_ids: ids })
    expect(combined).toMatchObject({
      files: [{ path: 'F.md', before: text(), after: `${text(0)}End.\n`, proposal_ids: ids.slice(0, 2) }],
      left_out: [ids[2]],
    })
    expect(await decide(ids, { review_digests: combined.review_digests })).toMatchObject({ updated: 3 })
    await applyDue(kit.engine())
    expect((await kit.garden.read('F.md'))?.text).toBe(`${text(0)}End.\n`)
    expect(await rowOf(kit, ids[2] ?? '')).toMatchObject({ status: 'FAILED', error: { code: 'conflict' } })
  })
})

describe('groups of alike', () => {
  test('of what is pending and free of conflict, outliers first; and what they do together', async () => {
    await kit.db.query(sql`UPDATE proposal SET status = 'EXPIRED' WHERE status = 'PENDING'`)
    const note = (name: string, text: string) => propose(kit, noteOf(`Beds/${name}.md`, text))
    const same = [await note('One', 'a\n'), await note('Two', 'b\n'), await note('Three', 'c\n')]
    const large = await note('Large', 'x\n'.repeat(9))
    await propose(kit, noteOf('Trees/Oak.md', 'Oak.\n'))
    const ids = [large, ...same].map(({ proposal_id }) => proposal_id)
    const { groups, alike } = await alikeProposals(kit.services)
    expect(alike).toEqual({ count: 4, exact: true })
    expect(groups).toMatchObject([{ folder: 'notes/Beds', count: 4, outliers: 1, size: 'small' }])
    expect(groups[0]?.members.map(({ proposal_id }) => proposal_id)).toEqual(ids)
    expect(groups[0]?.members[0]).toMatchObject({ outlier: ['much_larger'], additions: 9 })
    const combined = await combinedDiff(kit.services, { proposal_ids: ids })
    expect(combined.files.map(({ path, before }) => [path, before])).toEqual(
      ['Large', 'One', 'Two', 'Three'].map((name) => [`Beds/${name}.md`, null]),
    )
    await humanCommit(kit, 'Beds/One.md', 'By hand.\n')
    await keepReviewOrder(kit.worker)
    expect((await alikeProposals(kit.services)).alike).toEqual({ count: 3, exact: true })
  })
})
