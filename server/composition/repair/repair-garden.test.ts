import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { gardenFinding } from '#server/apply/garden-finding.ts'
import { gardenInconsistencies, lostCommits } from '#server/apply/garden-watch.ts'
import { commitsByProposal } from '#server/apply/trailer-index.ts'
import { refusalOf } from '#server/auth/refusal-of.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import {
  approve,
  humanCommit,
  type Kit,
  makeGarden,
  noteOf,
  openKit,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { repairGarden } from './repair-garden.ts'

let database: TestDatabase
let kit: Kit
let branch: string
let notes = 0

beforeAll(async () => {
  database = await createTestDatabase()
  kit = await openKit(await makeGarden(), database)
  branch = join(kit.gitdir, 'refs/heads/main')
})
beforeEach(async () => {
  await repairGarden({ db: kit.db, gitdir: kit.gitdir }, { discard: true })
})
afterAll(async () => {
  await kit.close()
  await rm(kit.folder, { recursive: true })
  await database.drop()
})

/** Applies this many proposals; their commits, oldest first. */
async function applied(count: number): Promise<string[]> {
  const commits: string[] = []
  for (let n = 0; n < count; n++) {
    const { proposal_id: id } = await approve(kit, await propose(kit, noteOf(`Watched/${notes++}.md`, 'x\n')))
    await applyDue(kit.engine())
    commits.push((await rowOf(kit, id)).git_commit ?? '')
  }
  return commits
}

const finding = () => gardenFinding({ ...kit.worker, env: { BLOOM_HOME: kit.folder } })
const repair = (discard = false) => repairGarden({ db: kit.db, gitdir: kit.gitdir }, { discard })
const rewindTo = (commit: string | undefined) => writeFile(branch, `${commit}\n`)
const restorations = async () => {
  const { rows } = await kit.db.query(
    sql`SELECT from_status, to_status, reason FROM event WHERE name = 'garden.branch_restored' ORDER BY id`,
  )
  return rows
}

describe('a branch that was rewound', () => {
  test('is found by what grows no more, nothing is built on it, and it is brought back', async () => {
    const [first, second, third] = await applied(3)
    expect(await gardenInconsistencies(kit.worker)).toEqual([])
    await rewindTo(first)
    expect(lostCommits(await gardenInconsistencies(kit.worker))).toHaveLength(2)
    expect(await finding()).toMatchObject({
      status: 'unavailable',
      message: expect.stringMatching(/^branch_rewound: The branch lacks the commits of 2 /),
    })
    const waiting = await approve(kit, await propose(kit, noteOf('Watched/waiting.md', 'x\n')))
    expect((await applyDue(kit.engine())).handled).toBe(0)
    expect((await rowOf(kit, waiting.proposal_id)).status).toBe('APPROVED')

    const before = (await restorations()).length
    expect(await repair()).toMatchObject({ outcome: 'restored', wanted: third })
    expect((await restorations()).slice(before)).toEqual([
      { from_status: first, to_status: third, reason: 'the branch was rewound' },
    ])
    expect(await gardenInconsistencies(kit.worker)).toEqual([])
    expect((await finding()).status).toBe('healthy')
    expect((await applyDue(kit.engine())).handled).toBe(1)
    expect((await kit.garden.log()).map((commit) => commit.oid)).toContain(second)
  })

  test('is found after a restart as well', async () => {
    const [first] = await applied(2)
    await rewindTo(first)
    const garden = await openGitRepository(kit.gitdir)
    expect(lostCommits(await gardenInconsistencies({ db: kit.worker.db, garden }))).toHaveLength(1)
  })

  test('keeps the commits of somebody until their loss is confirmed', async () => {
    const [first, second] = await applied(2)
    await rewindTo(first)
    const byHand = await humanCommit(kit, 'By hand.md', 'x\n')
    const seen = await repair()
    expect(seen).toMatchObject({ outcome: 'diverged', wanted: second, state: { beyond: [byHand] } })
    expect(await kit.garden.head()).toBe(byHand)
    expect((await repair(true)).outcome).toBe('restored')
    expect(await kit.garden.head()).toBe(second)
  })
})

describe('a branch file', () => {
  test.each([
    ['missing', () => rm(branch)],
    ['torn', () => writeFile(branch, 'no commit')],
  ])('that is %s is said in health and made again', async (_, damage) => {
    const [last] = await applied(1)
    await damage()
    expect(await finding()).toMatchObject({
      status: 'unavailable',
      message: expect.stringMatching(/^branch_missing: /),
    })
    expect((await repair()).outcome).toBe('restored')
    expect(await readFile(branch, 'utf8')).toBe(`${last}\n`)
    expect((await finding()).status).toBe('healthy')
    expect((await repair()).outcome).toBe('in_order')
  })

  test('that is missing keeps nobody from opening the garden, and answers 503', async () => {
    await applied(1)
    await rm(branch)
    const garden = await openGitRepository(kit.gitdir)
    expect(refusalOf(await garden.head().catch((error: unknown) => error)).refusal.code).toBe(
      'STORAGE_UNAVAILABLE',
    )
  })

  test('is left alone where the commit is gone as well', async () => {
    const [last = ''] = await applied(1)
    const object = join(kit.gitdir, 'objects', last.slice(0, 2), last.slice(2))
    const bytes = await readFile(object)
    await rm(branch)
    await rm(object)
    expect((await repair()).outcome).toBe('gone')
    await writeFile(object, bytes)
    expect((await repair()).outcome).toBe('restored')
  })
})

test('commits by hand on top are the history of the garden, not a fault', async () => {
  await applied(1)
  const byHand = await humanCommit(kit, 'On top.md', 'x\n')
  expect((await repair()).outcome).toBe('in_order')
  expect(await kit.garden.head()).toBe(byHand)
  expect((await finding()).status).toBe('healthy')
})

test('a commit is counted once, however many ask for the index at once', async () => {
  const [commit] = await applied(1)
  const garden = await openGitRepository(kit.gitdir)
  const parent = (await garden.log({ limit: 2 }))[1]?.oid ?? ''
  await commitsByProposal(garden, parent)
  const head = await garden.head()
  const [a, b] = await Promise.all([commitsByProposal(garden, head), commitsByProposal(garden, head)])
  for (const index of [a, b])
    expect([...index.values()].filter((c) => c.includes(commit ?? ''))).toEqual([[commit]])
})
