import { tmpdir } from 'node:os'
import { onTestFinished } from 'vitest'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { callerFor, OPERATOR } from '#server/trpc/testing.ts'
import type { TestControlPlane } from './control-plane.ts'
import { leadershipRoom } from './leadership-room.ts'

export const CID = 'aeeafec3a5b5710f'
export const KEYS = projectKeys(CID)
export const SHA = 'ab'.repeat(32)

/** Leadership of one project as the console has it: its procedures over the web process's account and a store of their own. */
export async function consoleRoom(plane: TestControlPlane) {
  const { parts, store, put, close } = await leadershipRoom({ db: plane.web }, CID)
  onTestFinished(close)
  const services = {
    ...parts,
    database: plane.web,
    env: { BLOOM_HOME: tmpdir(), BLOOM_ADDRESS_KEY: 'of a test' } as never,
  }
  const as = (steppedUp: boolean, caller = OPERATOR) => callerFor(services, caller, { steppedUp }).leadership
  return {
    ...{ services, store, put, as, leadership: as(false), trusted: as(true) },
    beat: (node_id: string, obs_count: number | null) =>
      plane.beat({ node_id, canonical_id: CID, obs_count, project_id: 'garden-seedling' }),
    push: (observations: number | null, more: object = {}) =>
      put(
        KEYS.pointer,
        JSON.stringify({
          ...{ sha256: SHA, observations, timestamp: 1_750_000_000, node_id: 'alder', term: 1 },
          ...more,
        }),
      ),
  }
}

/** What a person sends to make birch the primary of a project of epoch 1. */
export const asking = (more: object = {}) => ({
  ...{ cid: CID, primary_node_id: 'birch', reason: 'alder is away', expected_epoch: 1 },
  ...more,
})

/** alder leads with 100 records pushed; each node holds so many. */
export async function ledByAlder(
  plane: TestControlPlane,
  { alder, birch }: { alder: number | null; birch: number | null },
) {
  const made = await consoleRoom(plane)
  await made.beat('alder', alder)
  await made.leadership.promote(asking({ primary_node_id: 'alder', expected_epoch: 0 }))
  await made.beat('birch', birch)
  await made.push(100)
  return made
}
