/** Two people promote upon one epoch at the same time, over and over: one wins, the other is told by whom. */

import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { SelectPrimaryAnswer } from '#contracts/leadership.contract.ts'
import type { Result } from '#domain/kernel/result.ts'
import { ensureBucket, openS3Store } from '#server/adapters/object-store/s3.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { testS3Server } from '#server/launch/testing/test-s3-server.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { finishSelections } from './finish-selections.ts'
import { scanLeadership } from './scan-leadership.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'
import { leadershipRoom, operator, partsOf } from './testing/leadership-room.ts'

let plane: TestControlPlane
beforeAll(async () => {
  plane = await testControlPlane()
})
afterAll(() => plane?.close())

/** S3 takes five times as long. `RIVAL_ROUNDS=200` tries both so often. */
const asked = Number(process.env.RIVAL_ROUNDS) || null
const ROUNDS = { directory: asked ?? 60, s3: asked ?? 10 }

async function rivals(cid: string, rounds: number, given?: ObjectStore) {
  const room = await leadershipRoom(plane, cid, given)
  onTestFinished(room.close)
  const worker = partsOf(plane.worker, room.store)
  const wins: Record<string, number> = {}
  for (let epoch = 0; epoch < rounds; epoch++) {
    const choices = { ann: 'birch', bob: 'cedar' } as const
    const [ann, bob] = await Promise.all([
      room.promote({ cid, primary_node_id: choices.ann, expected_epoch: epoch }, operator('ann')),
      room.promote({ cid, primary_node_id: choices.bob, expected_epoch: epoch }, operator('bob')),
      // The scan meddles all the while.
      epoch % 4 === 0 ? finishSelections(worker).then(() => scanLeadership(worker)) : null,
    ])
    const [winner, loser, name] = ann.ok ? [ann, bob, 'ann' as const] : [bob, ann, 'bob' as const]
    expect(winner).toMatchObject({ ok: true, value: { epoch: epoch + 1 } })
    const { lease } = (winner as Extract<Result<SelectPrimaryAnswer>, { ok: true }>).value
    expect(loser).toMatchObject({
      refusal: {
        code: 'EPOCH_STALE',
        message: expect.stringContaining(`${choices[name]} is primary, selected by operator:${name}`),
        details: { lease, selected_by: `operator:${name}` },
      },
    })
    wins[name] = (wins[name] ?? 0) + 1
  }
  await finishSelections(worker)
  const events = await plane.events('leadership', cid)
  const count = (name: string) => events.filter((event) => event.name === name).length
  const records = await plane.admin(sql`SELECT status, count(*)::int AS n FROM membridge_selection
    WHERE canonical_id = ${cid} AND status <> 'refused' GROUP BY status`)
  return {
    wins,
    audits: (await room.audits()).length,
    records,
    counts: [count('leadership.promoted'), count('leadership.refused'), count('leadership.incident')],
  }
}

const whole = (n: number) => ({ audits: n, records: [{ status: 'promoted', n }], counts: [n, n, 0] })

it('again and again over a directory', async () => {
  const { wins, ...rest } = await rivals('rivals-directory', ROUNDS.directory)
  expect(rest).toEqual(whole(ROUNDS.directory))
  // Neither is always the first.
  expect(Object.keys(wins).toSorted()).toEqual(['ann', 'bob'])
}, 240_000)

it('again and again over an S3 server', async (context) => {
  const server = await testS3Server()
  if ('unavailable' in server) return lacking(context, server.unavailable)
  const access = { ...server, bucket: `rivals-${randomUUID()}`, timeoutMs: 30_000 }
  await ensureBucket(access)
  const { wins, ...rest } = await rivals('rivals-s3', ROUNDS.s3, openS3Store(access))
  expect(rest).toEqual(whole(ROUNDS.s3))
  expect(Object.keys(wins)).not.toEqual([])
}, 240_000)
