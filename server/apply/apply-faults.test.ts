import sql from 'sql-template-tag'
import { beforeEach, describe, expect, test } from 'vitest'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { proposalCommands } from '#server/proposals/testing/commands.ts'
import {
  approve,
  gardenWith,
  humanCommit,
  type Kit,
  noteOf,
  OPERATOR,
  OWNER,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { applyDue, recoverApplying } from './apply-due.ts'
import { type Applied, applyProposal, GARDEN_LOCK } from './apply-proposal.ts'
import { takeProposal } from './take-proposal.ts'
import { applyRoom } from './testing/apply-room.ts'

const room = applyRoom()
const { commits, git, consistent } = room
let kit: Kit
beforeEach(() => {
  kit = room.kit
})

const WAITING_FOR_GARDEN = sql`SELECT 1 FROM pg_locks
  WHERE locktype = 'advisory' AND objid = ${GARDEN_LOCK} AND NOT granted`

describe('failures of the machinery', () => {
  const failing = (times: number) => {
    let left = times
    return {
      ...kit.engine({ pause: async () => {} }),
      garden: gardenWith(kit.garden, {
        head: async () => {
          if (left-- > 0) throw new StorageUnavailable('gone')
          return kit.garden.head()
        },
      }),
    }
  }

  /** The look at the whole branch before a proposal is taken fails as well, and decides nothing. */
  const LOOKS = 1

  test('three attempts without storage are made up for; the fourth is FAILED and can be retried', async () => {
    const one = await approve(kit, await propose(kit, noteOf('A.md', 'a\n')))
    await applyDue(failing(LOOKS + 3))
    expect((await rowOf(kit, one.proposal_id)).status).toBe('APPLIED')
    const two = await approve(kit, await propose(kit, noteOf('B.md', 'b\n')))
    await applyDue(failing(LOOKS + 4))
    expect(await rowOf(kit, two.proposal_id)).toMatchObject({
      status: 'FAILED',
      error: { code: 'storage_unavailable' },
    })
    await proposalCommands.retry(kit.services, two, OWNER)
    await applyDue(kit.engine())
    expect((await rowOf(kit, two.proposal_id)).status).toBe('APPLIED')
    expect(await consistent()).toEqual([])
  })

  test('a branch update whose outcome is not known is never FAILED: recovery finds the trailer', async () => {
    const row = await approve(kit, await propose(kit, noteOf('A.md', 'a\n')))
    const garden = gardenWith(kit.garden, {
      updateBranch: async (from: string, to: string) => {
        await kit.garden.updateBranch(from, to)
        throw new Error('the answer was lost')
      },
    })
    const engine = { ...kit.engine(), garden }
    await applyDue(engine)
    expect((await rowOf(kit, row.proposal_id)).status).toBe('APPLYING')
    await kit.db.query(sql`UPDATE proposal SET lease_expires_at = clock_timestamp()`)
    expect(await recoverApplying(kit.engine())).toBe(1)
    expect(await rowOf(kit, row.proposal_id)).toMatchObject({
      status: 'APPLIED',
      git_commit: await kit.garden.head(),
    })
    expect(await commits()).toHaveLength(1)
  })

  test('recovery comes before the repository is tidied up', async () => {
    const row = await approve(kit, await propose(kit, noteOf('A.md', 'a\n')))
    await takeProposal(kit.worker.db, 'other-host:1:x')
    await kit.db.query(sql`UPDATE proposal SET lease_expires_at = clock_timestamp()`)
    const seen: string[] = []
    const sweep = async () => {
      seen.push((await rowOf(kit, row.proposal_id)).status)
      return []
    }
    expect(await recoverApplying({ ...kit.engine(), garden: gardenWith(kit.garden, { sweep }) })).toBe(1)
    expect(seen).toEqual(['APPLIED'])
  })

  test('the branch moves beneath an engine: it looks again', async () => {
    const row = await approve(kit, await propose(kit, noteOf('A.md', 'a\n')))
    let races = 3
    const engine = kit.engine({
      checkpoint: async (name) => {
        if (name === 'written' && races-- > 0) await humanCommit(kit, `Race ${races}.md`, 'x\n')
      },
    })
    await applyDue(engine)
    expect((await rowOf(kit, row.proposal_id)).status).toBe('APPLIED')
    expect(await git('fsck', '--strict', '--full', '--no-dangling')).toBe('')
  })

  test('an engine that lost its lease changes neither branch nor row', async () => {
    const row = await approve(kit, await propose(kit, noteOf('A.md', 'a\n')))
    const leased = await takeProposal(kit.worker.db, 'other-host:1:x')
    if (!leased) throw new Error('nothing was taken')
    await kit.db.query(sql`UPDATE proposal SET lease_expires_at = clock_timestamp()`)
    const [one, two] = await Promise.all([
      applyProposal(kit.engine(), { ...leased, fence: 0 }),
      recoverApplying(kit.engine()),
    ])
    expect([one.outcome, two]).toEqual(['lost', 1])
    expect((await rowOf(kit, row.proposal_id)).fence).toBe(2)
    expect(await applyProposal(kit.engine(), leased)).toEqual({ outcome: 'lost' })
    expect(await commits()).toEqual([row.proposal_id])
  })

  test('a lease that is lost while the engine waits for the repository is lost', async () => {
    const row = await approve(kit, await propose(kit, noteOf('A.md', 'a\n')))
    const leased = await takeProposal(kit.worker.db, 'other-host:1:x')
    if (!leased) throw new Error('nothing was taken')
    let stalled: Promise<Applied> | undefined
    await kit.db.transaction(async (tx) => {
      await tx.query(sql`SELECT pg_advisory_xact_lock(${GARDEN_LOCK})`)
      stalled = applyProposal(kit.engine(), leased)
      await waitUntil(async () => (await kit.db.query(WAITING_FOR_GARDEN)).rows.length === 1)
      await kit.db.query(sql`UPDATE proposal SET fence = fence + 1`)
    })
    expect(await stalled).toEqual({ outcome: 'lost' })
    expect(await commits()).toEqual([])
    expect((await rowOf(kit, row.proposal_id)).status).toBe('APPLYING')
  })

  test('the check finds a commit that is ahead of its row; the retry of a person finds the commit', async () => {
    const row = await approve(kit, await propose(kit, noteOf('A.md', 'a\n')))
    await applyDue(kit.engine())
    const { git_commit: commit } = await rowOf(kit, row.proposal_id)
    const other = await approve(kit, await propose(kit, noteOf('B.md', 'b\n')))
    const parent = await kit.garden.head()
    const alone = await kit.garden.commit({
      parent,
      changes: [{ path: 'B.md', content: 'b\n' }],
      message: `[owner] x\n\nProposal-Id: ${other.proposal_id}\n`,
      author: { name: 'x', email: 'x@x' },
      committer: { name: 'x', email: 'x@x' },
    })
    await takeProposal(kit.worker.db, 'other-host:1:x')
    await kit.db.query(
      sql`UPDATE proposal SET status = 'FAILED', error = '{"code":"timeout"}' WHERE proposal_id = ${other.proposal_id}`,
    )
    expect(await consistent()).toEqual([])
    await kit.garden.updateBranch(parent, alone)
    expect(await consistent()).toEqual([
      { proposalId: other.proposal_id, problem: 'FAILED with a commit', commits: [alone] },
    ])
    await applyDue(kit.engine())
    expect((await rowOf(kit, other.proposal_id)).status).toBe('FAILED')
    await proposalCommands.retry(kit.services, { proposal_id: other.proposal_id }, OPERATOR)
    await applyDue(kit.engine())
    expect(await rowOf(kit, other.proposal_id)).toMatchObject({ status: 'APPLIED', git_commit: alone })
    expect(await consistent()).toEqual([])
    expect((await rowOf(kit, row.proposal_id)).git_commit).toBe(commit)
  })
})
