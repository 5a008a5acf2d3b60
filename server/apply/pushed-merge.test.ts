import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { repairGarden } from '#server/composition/repair/repair-garden.ts'
import { pathsSince } from '#server/garden/paths-since.ts'
import { approve, editOf, noteOf, propose, rowOf } from '#server/proposals/testing/garden-kit.ts'
import { applyDue, recoverApplying } from './apply-due.ts'
import { gardenFinding } from './garden-finding.ts'
import { recordEdits } from './record-edits.ts'
import { applyRoom } from './testing/apply-room.ts'
import { ownersClone } from './testing/owners-clone.ts'

/** The owner commits in a clone, the engine applies, and the owner pulls by a merge and pushes: the engine's commit is its second parent then. */
const room = applyRoom()

const LEEKS = { diff: { type: 'append', position: 'end', text: 'Mulched.' } } as const

async function applied(id: string): Promise<string> {
  const { status, git_commit } = await rowOf(room.kit, id)
  expect(status).toBe('APPLIED')
  return git_commit ?? ''
}

test('a merge that the owner pushed is the history of the garden: what was applied is on the branch, and more is applied', async () => {
  const { kit } = room
  const clone = await ownersClone(kit)
  const mine = await clone.commit('Mine.md', 'mine\n')
  const before = await kit.garden.head()
  const first = await approve(kit, await propose(kit, editOf('notes/Beds/North.md', LEEKS)))
  await applyDue(kit.engine())
  const commit = await applied(first.proposal_id)
  await recordEdits(kit.worker, commit)
  const merge = await clone.mergeAndPush()

  expect((await kit.garden.log({ until: before })).map(({ oid }) => oid)).toEqual([merge, mine, commit])
  expect((await gardenFinding({ ...kit.worker, env: { BLOOM_HOME: kit.folder } })).status).toBe('healthy')
  expect(await room.consistent()).toEqual([])
  expect((await repairGarden(kit, { discard: false })).outcome).toBe('in_order')

  const second = await approve(kit, await propose(kit, noteOf('Next.md', 'x\n')))
  expect((await applyDue(kit.engine())).handled).toBe(1)
  await applied(second.proposal_id)
  expect(await room.commits()).toEqual([second.proposal_id, first.proposal_id])
})

test('a merge between the death of an engine and its recovery applies nothing twice', async () => {
  const { kit } = room
  const clone = await ownersClone(kit)
  await clone.commit('Mine.md', 'mine\n')
  const { proposal_id: id } = await approve(kit, await propose(kit, editOf('notes/Beds/North.md', LEEKS)))
  const dies = (name: string) => {
    if (name === 'moved') throw new Error('killed')
  }
  await applyDue(kit.engine({ checkpoint: dies }))
  expect((await rowOf(kit, id)).status).toBe('APPLYING')
  await clone.mergeAndPush()
  await kit.db.query(sql`UPDATE proposal SET lease_expires_at = clock_timestamp()`)
  await recoverApplying(kit.engine())
  await applied(id)
  expect(await room.commits()).toEqual([id])
  expect((await kit.garden.read('Beds/North.md'))?.text.match(/Mulched/g)).toHaveLength(1)
})

test('of a merge the commits by hand are one edit, its files those that differ, and a note keeps the commit that wrote it', async () => {
  const { kit } = room
  const clone = await ownersClone(kit)
  await clone.commit('Mine.md', 'mine\n')
  const { proposal_id: id } = await approve(kit, await propose(kit, editOf('notes/Beds/North.md', LEEKS)))
  await applyDue(kit.engine())
  const commit = await applied(id)
  const merge = await clone.mergeAndPush()

  expect(await recordEdits(kit.worker, commit)).toBe(merge)
  const { rows } = await kit.db.query(
    sql`SELECT from_status, to_status, details->'commits' AS commits FROM event WHERE name = 'garden.edited'`,
  )
  expect(rows).toEqual([{ from_status: commit, to_status: merge, commits: 2 }])
  expect(await pathsSince(kit.garden, { since: commit, head: merge })).toEqual({
    paths: ['Mine.md'],
    commits: 2,
  })
  const { versions } = await kit.garden.fileHistory('Beds/North.md', { limit: 2, withinMs: 10_000 })
  expect(versions[0]?.commit.oid).toBe(commit)
  expect(await kit.garden.isBehind(commit, merge)).toBe(true)
})
