/** What the tests of the engine stand on: a ledger and a garden of their own for each test, and how they are looked at. */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach } from 'vitest'
import { proposalOfCommit } from '#domain/proposal/commit-message.rules.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Kit, makeGarden, openKit } from '#server/proposals/testing/garden-kit.ts'
import { checkConsistency } from '../check-consistency.ts'

const run = promisify(execFile)

export function applyRoom() {
  let database: TestDatabase
  let kit: Kit
  beforeEach(async () => {
    database = await createTestDatabase()
    kit = await openKit(await makeGarden(), database)
  })
  afterEach(async () => {
    await kit.close()
    await rm(kit.folder, { recursive: true })
    await database.drop()
  })
  return {
    /** Of the test that runs. */
    get kit(): Kit {
      return kit
    },
    /** The proposals that the commits of the branch name, the newest first. */
    commits: async () => (await kit.garden.log()).map((c) => proposalOfCommit(c.message)).filter(Boolean),
    git: async (...args: string[]) => (await run('git', ['--git-dir', kit.gitdir, ...args])).stdout,
    /** What ledger and branch disagree about. */
    consistent: () => checkConsistency(kit.worker),
  }
}
