import { execFile } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openGitRemote } from '#server/adapters/git-remote/open-git-remote.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { remoteLag } from '#server/proposals/remote-lag.query.ts'
import { approve, noteOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { applyDue } from '../apply-due.ts'
import { pushBranch } from './push-branch.ts'

let kit: NewKit
let bare: string
beforeEach(async () => {
  kit = await newKit()
  bare = join(kit.folder, 'remote.git')
  await promisify(execFile)('git', ['init', '-q', '--bare', '-b', 'main', bare])
})
afterEach(() => kit.end())

async function apply(name: string): Promise<void> {
  await approve(kit, await propose(kit, noteOf(`${name}.md`, `${name}\n`)))
  await applyDue(kit.engine())
}
async function push(): Promise<void> {
  await onLedger(kit.urls.url, (db) =>
    db.query(sql`UPDATE garden_remote SET next_attempt_at = clock_timestamp(), lease_expires_at = NULL`),
  )
  const remote = openGitRemote(kit.gitdir, bare)
  await pushBranch({ ...kit.worker, remote }, new AbortController().signal)
}
/** The whole minutes of the lag, an hour from now. */
async function lag(env: { GARDEN_REMOTE?: string } = { GARDEN_REMOTE: bare }): Promise<number | null> {
  const parts = { db: kit.db, env: { ...kit.env, ...env } }
  const seconds = await remoteLag(parts, sql`(clock_timestamp() + interval '1 hour')`)
  return seconds === null ? null : Math.floor(seconds / 60)
}

test('without a remote there is none, and one of which nothing is known has none yet', async () => {
  await apply('Before')
  expect(await lag({})).toBeNull()
  expect(await lag()).toBe(0)
})

test('counts from the first push that failed, and ends with one that succeeds', async () => {
  await apply('Before')
  await rename(bare, `${bare}.away`)
  await push()
  await push()
  expect(await lag()).toBe(60)
  expect(await lag({})).toBeNull()
  expect(await lag({ GARDEN_REMOTE: `${bare}.other` })).toBe(0)
  await rename(`${bare}.away`, bare)
  await push()
  expect(await lag()).toBe(0)
})

test('counts from the oldest commit that waits, and not from before the latest push', async () => {
  await apply('Before')
  await push()
  await apply('First')
  await onLedger(kit.urls.adminUrl, (db) =>
    db.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      await tx.query(sql`UPDATE garden_remote SET pushed_at = clock_timestamp() - interval '10 minutes'`)
      await tx.query(
        sql`UPDATE proposal SET updated_at = clock_timestamp() - interval '5 minutes' WHERE remote_pushed_at IS NULL`,
      )
    }),
  )
  await apply('Second')
  expect(await lag()).toBe(65)
  await onLedger(kit.urls.adminUrl, (db) =>
    db.query(sql`UPDATE garden_remote SET pushed_at = clock_timestamp() - interval '2 minutes'`),
  )
  expect(await lag()).toBe(62)
  await push()
  expect(await lag()).toBe(0)
})
