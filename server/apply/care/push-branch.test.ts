import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import sql, { type Sql } from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openGitRemote } from '#server/adapters/git-remote/open-git-remote.ts'
import { type GitHttpServer, serveGit } from '#server/adapters/git-remote/testing/git-http-server.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import type { GitRemote } from '#server/ports/git-remote.ts'
import { getProposal } from '#server/proposals/get-proposal.query.ts'
import { approve, gardenWith, noteOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { protectSecrets } from '#server/redaction/redact.ts'
import { applyDue } from '../apply-due.ts'
import { gardenFinding } from '../garden-finding.ts'
import { getGardenCare } from './get-garden-care.query.ts'
import { pushBranch } from './push-branch.ts'

const run = promisify(execFile)
const PASSWORD = 'the-password-of-the-remote'
let kit: NewKit
let bare: string
let remote: GitRemote
let server: GitHttpServer | null = null

beforeEach(async () => {
  kit = await newKit()
  bare = join(kit.folder, 'remote.git')
  await run('git', ['init', '-q', '--bare', '-b', 'main', bare])
  remote = openGitRemote(kit.gitdir, bare)
})
afterEach(async () => {
  await server?.close()
  server = null
  await kit.end()
})

const git = async (...args: string[]) =>
  (await run('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '--git-dir', bare, ...args])).stdout.trim()
const never = new AbortController().signal
const push = (to = remote, passPause = false) => pushBranch({ ...kit.worker, remote: to, passPause }, never)
const env = () => ({ ...kit.env, BLOOM_HOME: kit.folder, GARDEN_REMOTE: remote.address })
const finding = () => gardenFinding({ ...kit.worker, env: env() })
const care = async () => (await getGardenCare({ db: kit.db, env: env() })).remote
const onOwner = (statement: ReturnType<typeof sql>) => onLedger(kit.urls.url, (db) => db.query(statement))
const pauseIsOver = () =>
  onOwner(sql`UPDATE garden_remote SET next_attempt_at = clock_timestamp(), lease_expires_at = NULL`)

async function applied(name: string): Promise<string> {
  const row = await approve(kit, await propose(kit, noteOf(`${name}.md`, `${name}\n`)))
  await applyDue(kit.engine())
  return row.proposal_id
}
async function resultOf(id: string, configured = true) {
  const view = await getProposal({ ...kit.services, env: configured ? env() : kit.env }, id, 'owner')
  if (!view.ok) throw new Error(view.refusal.message)
  const { remote: mark, remote_pushed_at: at } = view.value.apply_result
  return [mark, at !== null]
}
const events = async () => {
  const { rows } = await kit.db.query(
    sql`SELECT name, from_status AS from, to_status AS to, details FROM event WHERE name LIKE 'garden.%' ORDER BY id`,
  )
  return rows
}

describe('pushing', () => {
  test('one push covers many commits, and nothing is due afterwards', async () => {
    const ids = [await applied('A'), await applied('B')]
    expect(await Promise.all(ids.map((id) => resultOf(id)))).toEqual([
      ['local', false],
      ['local', false],
    ])
    expect(await resultOf(ids[0] as string, false)).toEqual(['none', false])
    expect(await care()).toMatchObject({ waiting: 2, pushed_commit: null, problem: null })
    const head = await kit.garden.head()
    expect(await push()).toEqual({ pushed: head })
    expect(await Promise.all(ids.map((id) => resultOf(id)))).toEqual([
      ['pushed', true],
      ['pushed', true],
    ])
    expect(await resultOf(ids[0] as string, false)).toEqual(['none', false])
    expect(await events()).toMatchObject([{ name: 'garden.pushed', to: head, details: { proposals: 2 } }])
    expect(await git('rev-parse', 'main')).toBe(head)
    expect(await push()).toBeNull()
    expect(await finding()).toEqual({ status: 'healthy', message: null })
    expect(await care()).toMatchObject({
      address: bare,
      waiting: 0,
      pushed_commit: head,
      next_attempt_at: null,
    })
  })

  test('a commit of a person goes with it, and the hour brings a look that records nothing', async () => {
    await applied('A')
    await push()
    await pauseIsOver()
    expect(await push()).not.toBeNull()
    expect(await events()).toHaveLength(1)
  })

  test('a row that is recorded after its commit was pushed is marked by the next look', async () => {
    const id = await applied('A')
    await push()
    await onOwner(sql`UPDATE proposal SET remote_pushed_at = NULL`)
    expect(await push()).not.toBeNull()
    expect(await resultOf(id)).toEqual(['pushed', true])
    expect(await events()).toHaveLength(2)
  })

  test('what is applied during the push stays local until the next one', async () => {
    const first = await applied('A')
    let second = ''
    const slow: GitRemote = {
      address: remote.address,
      push: async (commit, signal) => {
        second = await applied('B')
        return remote.push(commit, signal)
      },
    }
    await push(slow)
    expect([await resultOf(first), await resultOf(second)]).toEqual([
      ['pushed', true],
      ['local', false],
    ])
    await push()
    expect(await resultOf(second)).toEqual(['pushed', true])
  })

  test('killed between push and mark: the next attempt marks it, and there is one commit', async () => {
    const id = await applied('A')
    const pusher = new URL('testing/pusher.ts', import.meta.url).pathname
    const killed = run(process.execPath, [pusher, kit.folder, kit.urls.workerUrl, bare])
    await expect(killed).rejects.toMatchObject({ signal: 'SIGKILL' })
    const head = await kit.garden.head()
    expect(await git('rev-parse', 'main')).toBe(head)
    expect(await resultOf(id)).toEqual(['local', false])
    expect(await push()).toBeNull()
    await pauseIsOver()
    expect(await push()).toEqual({ pushed: head })
    expect(await resultOf(id)).toEqual(['pushed', true])
    expect(await git('rev-list', '--count', 'main')).toBe('2')
  })

  test('one worker pushes at a time; one whose lease has gone to another records nothing', async () => {
    const id = await applied('A')
    let second: unknown = 'not tried'
    const slow: GitRemote = {
      address: remote.address,
      push: async (commit, signal) => {
        second = await push()
        await onOwner(sql`UPDATE garden_remote SET fence = fence + 1`)
        return remote.push(commit, signal)
      },
    }
    await push(slow)
    expect(second).toBeNull()
    expect(await resultOf(id)).toEqual(['local', false])
    expect(await events()).toEqual([])
  })

  test('another remote begins without anything', async () => {
    const id = await applied('A')
    await push()
    const other = join(kit.folder, 'other.git')
    await run('git', ['init', '-q', '--bare', other])
    remote = openGitRemote(kit.gitdir, other)
    expect(await care()).toMatchObject({ address: other, pushed_commit: null })
    const seen: unknown[] = []
    await push({
      address: other,
      push: async (commit, signal) => {
        seen.push(await resultOf(id))
        return remote.push(commit, signal)
      },
    })
    expect(seen).toEqual([['local', false]])
    expect(await resultOf(id)).toEqual(['pushed', true])
  })
})

describe('a remote that does not take it', () => {
  test('is tried again with growing pauses, degrades health, tells the audit once, and hides its password', async () => {
    protectSecrets([PASSWORD])
    server = await serveGit(kit.folder, `gardener:${PASSWORD}`)
    remote = openGitRemote(
      kit.gitdir,
      server.url.replace('://', `://gardener:${PASSWORD}@`).concat('/remote.git'),
    )
    server.answer = (response) => void response.writeHead(503).end()
    const id = await applied('A')
    const commits = (await kit.garden.log()).length
    const pauses: number[] = []
    for (let n = 0; n < 3; n++) {
      expect(await push()).toMatchObject({ fault: { problem: 'unreachable' } })
      expect(await push()).toBeNull()
      if (n === 1) expect(await push(remote, true)).not.toBeNull()
      const { rows } = await kit.db.query<{ s: number }>(
        sql`SELECT extract(epoch FROM next_attempt_at - clock_timestamp())::float8 AS s FROM garden_remote`,
      )
      pauses.push(Math.ceil((rows[0]?.s ?? 0) / 5) * 5)
      await pauseIsOver()
    }
    expect(pauses).toEqual([5, 20, 40])
    expect(await resultOf(id)).toEqual(['local', false])
    const degraded = await finding()
    expect(degraded).toMatchObject({
      status: 'degraded',
      message: expect.stringMatching(/^remote_unreachable: 1 /),
    })
    expect(await care()).toMatchObject({ problem: 'unreachable', waiting: 1 })
    expect(await events()).toMatchObject([{ name: 'garden.push_failed' }])
    const everything = await kit.db.query(
      sql`SELECT (SELECT json_agg(r)::text FROM garden_remote r) AS r, (SELECT json_agg(e)::text FROM event e) AS e`,
    )
    expect(JSON.stringify([degraded, await care(), everything.rows])).not.toContain(PASSWORD)
    server.answer = null
    await git('config', 'http.receivepack', 'true')
    expect(await push()).toEqual({ pushed: await kit.garden.head() })
    expect(await resultOf(id)).toEqual(['pushed', true])
    expect((await kit.garden.log()).length).toBe(commits)
    expect(await finding()).toEqual({ status: 'healthy', message: null })
  })

  test('and has moved on is told, never overwritten, and taken again when a person has mended it', async () => {
    await applied('A')
    await push()
    const theirs = await git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'by hand')
    await git('update-ref', 'refs/heads/main', theirs)
    await pauseIsOver()
    expect(await push()).toMatchObject({ fault: { problem: 'diverged' } })
    expect(await finding()).toMatchObject({
      status: 'degraded',
      message: expect.stringMatching(/^remote_diverged: 0 /),
    })
    const id = await applied('B')
    await pauseIsOver()
    await push()
    expect([await resultOf(id), await git('rev-parse', 'main')]).toEqual([['local', false], theirs])
    // As README has it: a clone of the garden, the remote's commits on top of it, pushed to the garden; then the remote's branch set aside.
    const clone = join(kit.folder, 'mend')
    const mend = (...args: string[]) =>
      run('git', ['-C', clone, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args])
    await run('git', ['clone', '-q', kit.gitdir, clone])
    await mend('fetch', '-q', bare, 'main')
    await mend('push', '-q', bare, 'FETCH_HEAD:refs/heads/set-aside')
    await mend('cherry-pick', '--allow-empty', 'main..FETCH_HEAD')
    await mend('push', '-q', 'origin', 'main')
    await mend('push', '-q', `--force-with-lease=main:${theirs}`, bare, 'main')
    await pauseIsOver()
    expect(await push()).toEqual({ pushed: await kit.garden.head() })
    expect(await resultOf(id)).toEqual(['pushed', true])
    expect(await finding()).toEqual({ status: 'healthy', message: null })
  })

  test('a branch that lost commits is not pushed', async () => {
    const before = await kit.garden.head()
    await applied('A')
    const rewound = gardenWith(kit.garden, { head: async () => before })
    expect(await pushBranch({ ...kit.worker, garden: rewound, remote }, never)).toBeNull()
    await expect(git('rev-parse', '--verify', '-q', 'main')).rejects.toThrow()
  })

  test.each([
    ['gone', async () => ({ rows: [], rowCount: 0 })],
    ['not known, since the database is away', () => Promise.reject(new Error('the connection is gone'))],
  ])('a lease that is %s says nothing against the remote', async (_, renewed) => {
    await applied('A')
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    let isRenewal = false
    const query = (statement: Sql) => (isRenewal ? renewed() : kit.worker.db.query(statement))
    const db = new Proxy(kit.worker.db, {
      get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
    })
    const hanging: GitRemote = {
      address: remote.address,
      push: async (commit, signal) => {
        isRenewal = true
        vi.advanceTimersByTime(20_000)
        isRenewal = false
        await setImmediate()
        return remote.push(commit, signal)
      },
    }
    expect(await pushBranch({ ...kit.worker, db, remote: hanging }, never)).toBeNull()
    expect(await care()).toMatchObject({ problem: null, waiting: 1 })
    expect(await events()).toEqual([])
    expect(await push()).not.toBeNull()
  })

  test('a worker that stops says nothing against the remote', async () => {
    await applied('A')
    const stop = new AbortController()
    const hanging: GitRemote = {
      address: remote.address,
      push: async (commit, signal) => {
        stop.abort()
        return remote.push(commit, signal)
      },
    }
    await pushBranch({ ...kit.worker, remote: hanging }, stop.signal)
    expect(await care()).toMatchObject({ problem: null, waiting: 1 })
    expect(await push()).not.toBeNull()
  })
})
