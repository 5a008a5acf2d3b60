/** A pending proposal is approved over a target that it conflicts with. Real PostgreSQL, real git; how it is applied: apply/apply.test.ts. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Result } from '#domain/kernel/result.ts'
import { decideBatch } from './decide-batch.ts'
import { approveProposal } from './decide-proposal.ts'
import { getProposal } from './get-proposal.query.ts'
import { proposalCommands } from './testing/commands.ts'
import {
  digestNow,
  editOf,
  eventsOf,
  gardenWith,
  humanCommit,
  OWNER,
  propose,
  rowOf,
} from './testing/garden-kit.ts'
import { type NewKit, newKit } from './testing/new-kit.ts'

let kit: NewKit
let count = 0
beforeAll(async () => {
  kit = await newKit({ holdSeconds: 10 })
})
afterAll(() => kit.end())

const PATH = 'Beds/North.md'
const SECRET = 'Zm9vYmFyYmF6cXV4MTIzNDU2'
const REASON = `Ours is the newer text, Bearer ${SECRET}`
const codeOf = (outcome: Result<unknown>) => (outcome.ok ? 'ok' : outcome.refusal.code)
const hashNow = async (path = PATH) => (await kit.garden.read(path))?.sha256 ?? 'absent'

/** An edit of a file that a person has changed since. */
async function inConflict(): Promise<string> {
  const text = `# Proposed ${++count}\n`
  const { proposal_id } = await propose(kit, editOf(`notes/${PATH}`, { diff: { type: 'replace', text } }))
  await humanCommit(kit, PATH, `By hand ${count}.\n`)
  return proposal_id
}

/** The request of an owner who has compared the texts as they are now. */
async function request(proposal_id: string, over_hash?: string) {
  const review_digest = await digestNow(kit, await rowOf(kit, proposal_id))
  return { proposal_id, review_digest, force: { over_hash: over_hash ?? (await hashNow()), reason: REASON } }
}
const force = async (id: string, over_hash?: string) =>
  proposalCommands.approve(kit.services, await request(id, over_hash), OWNER, true)

/** Runs it and expects that it is refused so, and that nothing came of it. */
async function refuses(id: string, code: string, work: () => Promise<Result<unknown>>) {
  const before = [await rowOf(kit, id), await eventsOf(kit, id)]
  const outcome = await work()
  expect(codeOf(outcome)).toBe(code)
  expect([await rowOf(kit, id), await eventsOf(kit, id)]).toEqual(before)
  return outcome
}

describe('an approval by force', () => {
  test('is bound to the content that it names, waits out its hold, and is recorded with its reason without secrets', async () => {
    const id = await inConflict()
    const asked = await request(id)
    expect(await proposalCommands.approve(kit.services, asked, OWNER, true)).toMatchObject({
      ok: true,
      value: { unchanged: false, proposal: { status: 'APPROVED', commands: ['undo'] } },
    })
    const row = await rowOf(kit, id)
    const { over_hash } = asked.force
    const reason = row.decision_note ?? ''
    expect(reason).toMatch(/^Ours is the newer text, /)
    expect(reason).not.toContain(SECRET)
    expect(row).toMatchObject({
      force_over_hash: over_hash,
      decided_by: 'owner',
      decision_mode: 'manual',
      reason_code: null,
      review_digest: asked.review_digest,
      error: null,
    })
    expect((row.apply_not_before?.getTime() ?? 0) - (row.decided_at?.getTime() ?? 0)).toBe(10_000)
    const { rows } = await kit.db.query(
      sql`SELECT name, reason, details FROM event WHERE resource_id = ${id} AND transition = 'approve'`,
    )
    const record = expect.objectContaining({ force_over_hash: over_hash, decision_note: reason })
    expect(rows).toEqual([
      {
        name: 'proposal.approved',
        reason,
        details: expect.objectContaining({ over_hash, freshness: 'changed', record }),
      },
    ])
    expect(await getProposal(kit.services, id, 'owner')).toMatchObject({
      value: { approval: { force: { over_hash, reason } } },
    })
    // The same person once more.
    expect(await proposalCommands.approve(kit.services, asked, OWNER, true)).toMatchObject({
      ok: true,
      value: { unchanged: true },
    })
    expect((await rowOf(kit, id)).version).toBe(row.version)
  })

  test('overwrites nothing after its undo, and is possible again then', async () => {
    const id = await inConflict()
    const again = async () => {
      expect(codeOf(await force(id))).toBe('ok')
      expect(codeOf(await proposalCommands.undo(kit.services, { proposal_id: id }, OWNER))).toBe('ok')
      const undone = { status: 'PENDING', force_over_hash: null, decision_note: null }
      expect(await rowOf(kit, id)).toMatchObject(undone)
    }
    await again()
    await again()
    const { force: _, ...plain } = await request(id)
    const outcome = await proposalCommands.approve(kit.services, plain, OWNER, true)
    expect(outcome).toMatchObject({
      refusal: { code: 'TARGET_CHANGED', message: expect.stringContaining('overwrite the target') },
    })
  })

  test('over a target that was deleted since', async () => {
    const id = await inConflict()
    await humanCommit(kit, PATH, null)
    expect(codeOf(await force(id))).toBe('ok')
    expect(await rowOf(kit, id)).toMatchObject({ force_over_hash: 'absent' })
    await humanCommit(kit, PATH, 'Back again.\n')
  })
})

describe('it is refused, and nothing is recorded', () => {
  test('without a password of the last minutes; a plain approval needs none', async () => {
    const id = await inConflict()
    await refuses(id, 'STEP_UP_REQUIRED', async () =>
      proposalCommands.approve(kit.services, await request(id), OWNER, false),
    )
    await refuses(id, 'STEP_UP_REQUIRED', async () => approveProposal(kit.services, await request(id), OWNER))
    const plain = await propose(kit, editOf('notes/Beds/South.md', { diff: { type: 'delete' } }))
    const { force: _, ...asked } = await request(plain.proposal_id)
    expect(codeOf(await proposalCommands.approve(kit.services, asked, OWNER, false))).toBe('ok')
    expect(await rowOf(kit, plain.proposal_id)).toMatchObject({ force_over_hash: null, decision_note: null })
  })

  test('where nothing stands against the proposal, or what does can be merged', async () => {
    const path = 'Грядки/Північна.md'
    const diff = { type: 'append', position: 'end', text: 'Часник.' }
    const { proposal_id: id } = await propose(kit, editOf(`notes/${path}`, { diff }))
    const useless = async () => {
      const over = await hashNow(path)
      const outcome = await refuses(id, 'VALIDATION_FAILED', () => force(id, over))
      expect(outcome).toMatchObject({ refusal: { message: expect.stringContaining('without force') } })
    }
    await useless()
    await humanCommit(kit, path, '# Північна\n\nЦибуля і кріп.\n')
    await useless()
  })

  test('over another content than the present one, which the answer names', async () => {
    const id = await inConflict()
    const compared = await request(id)
    await humanCommit(kit, PATH, 'By hand once more.\n')
    const current_hash = await hashNow()
    const current_revision = await kit.garden.head()
    const outcome = await refuses(id, 'TARGET_CHANGED', () =>
      proposalCommands.approve(kit.services, compared, OWNER, true),
    )
    const freshness = { state: 'changed', mergeable: false, current_revision, current_hash }
    const review_digest = await digestNow(kit, await rowOf(kit, id))
    expect(outcome).toMatchObject({
      refusal: { details: { current_revision, current_hash, freshness, review_digest } },
    })
  })

  test('without the digest of the review', async () => {
    const id = await inConflict()
    for (const review_digest of [undefined, 'a'.repeat(64)])
      await refuses(id, 'STALE_REVIEW', async () =>
        proposalCommands.approve(kit.services, { ...(await request(id)), review_digest }, OWNER, true),
      )
  })

  test('while the agent works on changes', async () => {
    const id = await inConflict()
    await kit.db.query(
      sql`UPDATE proposal SET awaiting_changes_since = clock_timestamp(), change_request = inbox_entry_id WHERE proposal_id = ${id}`,
    )
    await refuses(id, 'INVALID_TRANSITION', () => force(id))
  })

  test('once its time is over, or another decision has come in between', async () => {
    const late = await inConflict()
    await kit.db.query(sql`UPDATE proposal SET expires_at = clock_timestamp() WHERE proposal_id = ${late}`)
    expect(await force(late)).toMatchObject({
      refusal: { code: 'INVALID_TRANSITION', details: { from: 'EXPIRED' } },
    })
    const id = await inConflict()
    const asked = await request(id)
    const other = { ...OWNER, identity: 'owner-2' }
    const garden = gardenWith(kit.garden, {
      head: async () => {
        await proposalCommands.approve(kit.services, asked, other, true)
        await proposalCommands.undo(kit.services, { proposal_id: id }, other)
        return kit.garden.head()
      },
    })
    const outcome = await proposalCommands.approve({ ...kit.services, garden }, asked, OWNER, true)
    expect(codeOf(outcome)).toBe('CONCURRENT_MODIFICATION')
    expect(await rowOf(kit, id)).toMatchObject({ status: 'PENDING', force_over_hash: null })
  })

  test('by the way of a failed one, and by a batch', async () => {
    const id = await inConflict()
    const { force: override } = await request(id)
    expect(
      codeOf(await proposalCommands.force(kit.services, { proposal_id: id, ...override }, OWNER, true)),
    ).toBe('INVALID_TRANSITION')
    const batch = { proposal_ids: [id], status: 'APPROVED' as const, force: override }
    expect(await decideBatch(kit.services, batch, OWNER)).toMatchObject({
      value: { updated: 0, errors: [{ code: 'TARGET_CHANGED' }] },
    })
    expect(await rowOf(kit, id)).toMatchObject({ status: 'PENDING', force_over_hash: null })
  })
})

test('of many decisions at once one is recorded', async () => {
  const id = await inConflict()
  const asked = await request(id)
  const actor = (n: number) => ({ ...OWNER, identity: `owner-${n}` })
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0
        ? proposalCommands.approve(kit.services, asked, actor(n), true)
        : proposalCommands.reject(kit.services, { proposal_id: id, decision_note: REASON }, actor(n)),
    ),
  )
  expect(outcomes.filter((outcome) => outcome.ok && !outcome.value.unchanged)).toHaveLength(1)
  expect((await rowOf(kit, id)).version).toBe(2)
})
