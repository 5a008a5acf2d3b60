import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { topicOf } from '#domain/event/event-names.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { approve, humanCommit, noteOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { gardenEditsLoop } from '#worker/loops/garden-edits.loop.ts'
import { startLoop } from '#worker/loops/loop.ts'
import { applyDue } from './apply-due.ts'
import { recordEdits } from './record-edits.ts'

let kit: NewKit
beforeAll(async () => {
  kit = await newKit()
})
afterAll(() => kit.end())

type Edit = { name: string; from_status: string; to_status: string; commits: number }
const edits = async () =>
  (
    await kit.db.query<Edit>(
      sql`SELECT name, from_status, to_status, (details->>'commits')::int AS commits FROM event WHERE name = 'garden.edited' ORDER BY id`,
    )
  ).rows

test('commits by hand are one event, of several workers once; what the engine applied is none', async () => {
  const before = await recordEdits(kit.worker, null)
  await humanCommit(kit, 'Hand.md', 'one\n')
  const oid = await humanCommit(kit, 'Hand.md', 'two\n')
  await Promise.all([1, 2, 3].map(() => recordEdits(kit.worker, before)))
  expect(await edits()).toEqual([{ name: 'garden.edited', from_status: before, to_status: oid, commits: 2 }])
  await approve(kit, await propose(kit, noteOf('Applied.md', 'x\n')))
  await applyDue(kit.engine())
  expect(await recordEdits(kit.worker, oid)).toBe(await kit.garden.head())
  // After a restart the look goes on from the last edit that is known.
  expect(await recordEdits(kit.worker, null)).toBe(await kit.garden.head())
  expect(await edits()).toHaveLength(1)
})

test('an edit is on its way to the open pages within two seconds', async () => {
  const running = startLoop(gardenEditsLoop(kit.worker), { log: kit.log })
  try {
    const known = (await edits()).length
    await humanCommit(kit, 'Hand.md', 'three\n')
    const edited = performance.now()
    await waitUntil(async () => (await edits()).length > known)
    expect(performance.now() - edited).toBeLessThan(2_000)
    expect(topicOf('garden.edited')).toBe('health.changed')
  } finally {
    await running.stop()
  }
})
