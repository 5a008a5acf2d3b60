import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proposalOfCommit } from '#domain/proposal/commit-message.rules.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import {
  approve,
  type Kit,
  makeGarden,
  noteOf,
  openKit,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { applyDue, recoverApplying } from './apply-due.ts'
import { checkConsistency } from './check-consistency.ts'
import { CHECKPOINTS, type Checkpoint } from './engine.ts'

const APPLIER = fileURLToPath(new URL('./testing/applier.ts', import.meta.url))
const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 1)
let database: TestDatabase
let kit: Kit
beforeAll(async () => {
  database = await createTestDatabase()
  kit = await openKit(await makeGarden(), database)
})
afterAll(async () => {
  await kit.close()
  await rm(kit.folder, { recursive: true })
  await database.drop()
})

/** The state a kill at this point leaves behind. */
const LEFT: Record<Checkpoint, { status: string; committed: boolean }> = {
  taken: { status: 'APPLYING', committed: false },
  looked: { status: 'APPLYING', committed: false },
  computed: { status: 'APPLYING', committed: false },
  written: { status: 'APPLYING', committed: false },
  moved: { status: 'APPLYING', committed: true },
  recorded: { status: 'APPLIED', committed: true },
  published: { status: 'APPLIED', committed: true },
}

const commitsOf = async (id: string) =>
  (await kit.garden.log()).filter((commit) => proposalOfCommit(commit.message) === id)

describe('kill -9 of an engine', () => {
  test.each(CHECKPOINTS)(`at "%s" (${ROUNDS} rounds): one commit in the end, none lost`, async (point) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { proposal_id: id } = await approve(
        kit,
        await propose(kit, noteOf(`${point} ${round}.md`, 'x\n')),
      )
      const child = fork(APPLIER, [kit.folder, database.workerUrl, `at:${point}`], {
        execArgv: [],
        stdio: 'inherit',
      })
      const [, signal] = await once(child, 'exit')
      expect(signal).toBe('SIGKILL')
      expect((await rowOf(kit, id)).status).toBe(LEFT[point].status)
      expect(await commitsOf(id)).toHaveLength(LEFT[point].committed ? 1 : 0)
      // The server notices a dead connection, and lets its row go, a moment after the process is gone.
      await waitUntil(async () => {
        await recoverApplying(kit.engine())
        return (await rowOf(kit, id)).status === 'APPLIED'
      })
      const row = await rowOf(kit, id)
      const [commit, ...more] = await commitsOf(id)
      expect(more).toEqual([])
      expect(row).toMatchObject({ status: 'APPLIED', git_commit: commit?.oid })
    }
    expect(await applyDue(kit.engine())).toEqual({ handled: 0, nextInMs: null })
    expect(await checkConsistency(kit.worker)).toEqual([])
  })
})
