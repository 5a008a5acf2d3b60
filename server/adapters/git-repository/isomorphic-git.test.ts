import { execFile, spawn } from 'node:child_process'
import fs from 'node:fs'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import git from 'isomorphic-git'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TRAVERSAL_VECTORS } from '#domain/garden/traversal-vectors.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { importGarden } from './import-garden.ts'
import { openGitRepository } from './isomorphic-git.ts'

const person = { name: 'Олена <owner>', email: 'owner@garden.example', at: new Date('2026-04-02T08:00:00Z') }
const FIRST = [
  { path: 'README.md', content: 'Welcome\n' },
  { path: 'Beds/North bed.md', content: '# North\n' },
  { path: 'Beds/Південна.md', content: '# Південна\n' },
]

let folder: string
let gitdir: string
let garden: GitRepository
let first: string

const change = (parent: string, changes: { path: string; content: string | null }[], message = 'A change') =>
  garden.commit({ parent, changes, message, author: person, committer: person })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bloom-git-'))
  gitdir = join(folder, 'garden.git')
  await importGarden(await mkdtemp(join(folder, 'empty-')), gitdir, { author: person, extraFiles: FIRST })
  garden = await openGitRepository(gitdir)
  first = await garden.head()
})

afterEach(async () => {
  await expectSound(gitdir)
  await rm(folder, { recursive: true, force: true })
})

/** Asks git itself, where it is installed, whether every object is right. */
async function expectSound(repository: string): Promise<void> {
  const fsck = promisify(execFile)('git', ['-C', repository, 'fsck', '--full', '--strict', '--no-dangling'])
  const said = await fsck.catch((error) => (error.code === 'ENOENT' ? null : Promise.reject(error)))
  if (said) expect(said.stdout + said.stderr).toBe('')
}

describe('reading', () => {
  it('lists and reads at a revision', async () => {
    expect((await garden.list()).map((entry) => entry.path)).toEqual([
      'Beds/North bed.md',
      'Beds/Південна.md',
      'README.md',
    ])
    const file = await garden.read('Beds/Південна.md')
    expect(file).toMatchObject({
      path: 'Beds/Південна.md',
      text: '# Південна\n',
      sha256: sha256Hex('# Південна\n'),
    })
    expect((await garden.list())[1]?.oid).toBe(file?.oid)
    const second = await change(first, [{ path: 'README.md', content: 'Anew\n' }])
    expect((await garden.read('README.md', second))?.text).toBe('Anew\n')
    expect((await garden.read('README.md'))?.text).toBe('Welcome\n')
  })

  it('gives null for what is not there', async () => {
    for (const path of [
      'x.md',
      'Beds',
      'Beds/',
      'Beds/x',
      'README.md/x',
      '',
      '../README.md',
      '/README.md',
      'readme.md',
    ]) {
      expect(await garden.read(path), path).toBeNull()
    }
  })

  it.each(['0'.repeat(40), 'main', 'HEAD', '', '../x'])('knows no revision %j', async (revision) => {
    await expect(garden.read('README.md', revision)).rejects.toMatchObject({ refusal: { code: 'NOT_FOUND' } })
    await expect(garden.list(revision)).rejects.toBeInstanceOf(Refused)
  })

  it('reads the branch where git packs it', async () => {
    await rm(join(gitdir, 'refs/heads/main'))
    await writeFile(join(gitdir, 'packed-refs'), `# pack-refs with: peeled\n${first} refs/heads/main\n`)
    expect(await garden.head()).toBe(first)
  })

  it('says unavailable, not absent, when an object is torn', async () => {
    const { oid } = (await garden.read('README.md')) ?? { oid: '' }
    const path = join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2))
    await rm(path)
    await writeFile(path, 'torn')
    const again = await openGitRepository(gitdir)
    await expect(again.read('README.md')).rejects.toBeInstanceOf(StorageUnavailable)
    await rm(path)
    await change(first, [{ path: 'README.md', content: 'Welcome\n' }])
  })
})

describe('committing', () => {
  it('counts only what can be read back: an object that stands there torn is a fault', async () => {
    const changes = [{ path: 'New.md', content: 'New\n' }]
    await change(first, changes)
    const commit = (await garden.log({ from: await change(first, changes), limit: 1 }))[0]
    const oid = (await garden.read('New.md', commit?.oid))?.oid ?? ''
    const path = join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2))
    await rm(path)
    await writeFile(path, 'torn')
    await expect(change(first, changes)).rejects.toBeInstanceOf(StorageUnavailable)
    await rm(path)
    await change(first, changes)
  })

  it('adds, changes and removes in one commit that nobody sees until the branch moves', async () => {
    const next = await change(first, [
      { path: 'Beds/North bed.md', content: null },
      { path: 'README.md', content: 'Anew\n' },
      { path: 'Seeds/2026/Beans.md', content: 'Beans\n' },
    ])
    expect(await garden.head()).toBe(first)
    expect(await garden.updateBranch(first, next)).toBe(true)
    expect(await garden.head()).toBe(next)
    expect((await garden.list()).map((entry) => entry.path)).toEqual([
      'Beds/Південна.md',
      'README.md',
      'Seeds/2026/Beans.md',
    ])
    expect(await garden.changedPaths(next)).toEqual([
      { path: 'Beds/North bed.md', kind: 'removed' },
      { path: 'README.md', kind: 'modified' },
      { path: 'Seeds/2026/Beans.md', kind: 'added' },
    ])
    expect((await garden.changedPaths(first)).map((one) => one.kind)).toEqual(['added', 'added', 'added'])
  })

  it('leaves no object that lacks another when it is killed between their names', async () => {
    const objects = async () =>
      (await readdir(join(gitdir, 'objects'), { recursive: true }))
        .map((path) => path.replace('/', ''))
        .filter((name) => name.length === 40)
    const before = await objects()
    const child = spawn(process.execPath, ['--input-type=module', '-e', killedAtName(3)])
    expect(await new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))).toBe('SIGKILL')
    const after = await objects()
    expect(after).toHaveLength(before.length + 2)
    for (const oid of after) {
      const { type, object } = await git.readObject({ fs, gitdir, oid, format: 'parsed' })
      const entries = type === 'tree' ? (object as { oid: string }[]).map((entry) => entry.oid) : []
      const trees = type === 'commit' ? [(object as { tree: string }).tree] : []
      expect(after).toEqual(expect.arrayContaining([...entries, ...trees]))
    }
  })

  it('tells commits of the branch from what else lies in the repository', async () => {
    const next = await change(first, [{ path: 'x.md', content: 'x\n' }])
    expect(await garden.isOnBranch(first)).toBe(true)
    expect(await garden.isOnBranch(next)).toBe(false)
    await garden.updateBranch(first, next)
    const lost = await change(next, [{ path: 'lost.md', content: 'x\n' }])
    const last = await change(next, [{ path: 'y.md', content: 'y\n' }])
    await garden.updateBranch(next, last)
    for (const oid of [last, next, first]) expect(await garden.isOnBranch(oid)).toBe(true)
    const file = await garden.read('x.md')
    for (const oid of [lost, file?.oid ?? '', '0'.repeat(40), 'HEAD', ''])
      expect(await garden.isOnBranch(oid)).toBe(false)
    // Somebody sets the branch back: what left it is no longer on it.
    await writeFile(join(gitdir, 'refs/heads/main'), `${next}\n`)
    expect(await garden.isOnBranch(last)).toBe(false)
    expect(await garden.isOnBranch(first)).toBe(true)
  })

  it('drops folders that became empty, and keeps the order that git wants', async () => {
    const names = ['a', 'a-b.md', 'a.md', 'a/x.md', 'a0.md', '\u{10428}.md', '\ufb50.md'].filter(
      (name) => name !== 'a',
    )
    const next = await change(
      first,
      names.map((path) => ({ path, content: 'x\n' })),
    )
    expect((await garden.list(next)).map((entry) => entry.path)).toEqual(
      [...names, 'README.md', 'Beds/North bed.md', 'Beds/Південна.md'].sort((x, y) =>
        Buffer.compare(Buffer.from(x), Buffer.from(y)),
      ),
    )
    const emptied = await change(next, [{ path: 'a/x.md', content: null }])
    expect((await garden.list(emptied)).some((entry) => entry.path.startsWith('a/'))).toBe(false)
    const nothing = await change(
      first,
      FIRST.map(({ path }) => ({ path, content: null })),
    )
    expect(await garden.list(nothing)).toEqual([])
    for (const oid of [emptied, nothing]) expect(await garden.log({ from: oid, limit: 1 })).toHaveLength(1)
  })

  it('keeps message, dates and people, and lets nobody break out of a signature', async () => {
    const message = '[owner] Тема\n\nBody\n\nProposal-Id: prop_1'
    const next = await change(first, [{ path: 'x.md', content: 'x\n' }], message)
    const [commit, parent] = await garden.log({ from: next })
    expect(commit).toEqual({
      oid: next,
      parents: [first],
      message: `${message}\n`,
      at: person.at,
      author: { name: 'Олена  owner', email: person.email, at: person.at },
    })
    expect(parent?.parents).toEqual([])
    const evil = { name: 'x\nparent 0 <y>', email: 'a b>\n' }
    const safe = await garden.commit({
      parent: first,
      changes: [],
      message: 'm\0m',
      author: evil,
      committer: evil,
    })
    expect((await garden.log({ from: safe, limit: 1 }))[0]).toMatchObject({
      parents: [first],
      message: 'mm\n',
    })
  })

  it('logs newest first, bounded', async () => {
    let at = first
    for (const n of [1, 2, 3]) {
      const next = await change(at, [{ path: `${n}.md`, content: 'x\n' }], `${n}`)
      expect(await garden.updateBranch(at, next)).toBe(true)
      at = next
    }
    const subjects = async (options?: Parameters<GitRepository['log']>[0]) =>
      (await garden.log(options)).map((commit) => commit.message.trim())
    expect(await subjects()).toEqual(['3', '2', '1', 'Import of the garden'])
    expect(await subjects({ limit: 2 })).toEqual(['3', '2'])
    expect(await subjects({ until: first })).toEqual(['3', '2', '1'])
    expect(await subjects({ until: at })).toEqual([])
  })

  it('keeps what others pushed and is no file of a garden, and reads the rest beside it', async () => {
    const at = { fs, gitdir }
    const { tree } = (await git.readCommit({ ...at, oid: first })).commit
    const { object: before } = await git.readObject({ ...at, oid: tree, format: 'content' })
    const blob = await git.writeBlob({ ...at, blob: Buffer.from('x\n') })
    const names = ['100644 a\\b.md', '100755 run.md', '120000 way.md', '100644 z: ?.md', '100644 z\xff.md']
    const added = names.map((name) =>
      Buffer.concat([Buffer.from(`${name}\0`, 'latin1'), Buffer.from(blob, 'hex')]),
    )
    const object = Buffer.concat([Buffer.from(before as Uint8Array), ...added])
    const pushed = await git.writeObject({ ...at, type: 'tree', object, format: 'content' })
    const signed = { name: 'x', email: 'x@y', timestamp: 1, timezoneOffset: 0 }
    const commit = { tree: pushed, parent: [first], message: 'pushed\n', author: signed, committer: signed }
    const head = await git.writeCommit({ ...at, commit })
    const reasons = async (oid: string) =>
      (await garden.others(oid)).map((other) => [other.path, other.reason])
    expect(await reasons(head)).toEqual([
      ['run.md', 'executable'],
      ['way.md', 'symlink'],
      ['z\ufffd.md', 'not_utf8_name'],
    ])
    expect((await garden.read('a\\b.md', head))?.text).toBe('x\n')
    const next = await change(head, [{ path: 'z: ?.md', content: 'y\n' }])
    expect(await reasons(next)).toEqual(await reasons(head))
    expect(await garden.changedPaths(next)).toEqual([{ path: 'z: ?.md', kind: 'modified' }])
    for (const path of ['run.md', 'way.md/x.md'])
      await expect(change(head, [{ path, content: 'x\n' }])).rejects.toMatchObject({
        refusal: { code: 'PATH_NOT_ALLOWED' },
      })
  })

  it('refuses every path that is no garden path and leaves no trace of it', async () => {
    for (const path of TRAVERSAL_VECTORS) {
      await expect(change(first, [{ path, content: 'x\n' }]), JSON.stringify(path)).rejects.toMatchObject({
        refusal: { code: 'PATH_NOT_ALLOWED' },
      })
    }
    expect(await garden.head()).toBe(first)
  })

  it.each([
    ['twins by case', [{ path: 'readme.md', content: 'x\n' }]],
    ['twins among folders', [{ path: 'beds/x.md', content: 'x\n' }]],
    [
      'twins in one change',
      [
        { path: 'N.md', content: 'x\n' },
        { path: 'n.md', content: 'x\n' },
      ],
    ],
    [
      'a file twice',
      [
        { path: 'n.md', content: 'x\n' },
        { path: 'n.md', content: 'y\n' },
      ],
    ],
    ['a file over a folder', [{ path: 'Beds', content: 'x\n' }]],
    ['a folder over a file', [{ path: 'README.md/x.md', content: 'x\n' }]],
    [
      'a file that is a folder at once',
      [
        { path: 'n', content: 'x\n' },
        { path: 'n/x', content: 'x\n' },
      ],
    ],
    ['removing what is not there', [{ path: 'n.md', content: null }]],
  ])('refuses %s', async (_, changes) => {
    await expect(change(first, changes)).rejects.toBeInstanceOf(Refused)
  })

  it('renames in letter case alone', async () => {
    const next = await change(first, [
      { path: 'README.md', content: null },
      { path: 'readme.md', content: 'x\n' },
    ])
    expect((await garden.list(next)).map((entry) => entry.path)).toContain('readme.md')
  })
})

describe('moving the branch', () => {
  it('is a compare-and-set', async () => {
    const mine = await change(first, [{ path: 'mine.md', content: 'x\n' }])
    const theirs = await change(first, [{ path: 'theirs.md', content: 'x\n' }])
    const won = await Promise.all([garden.updateBranch(first, mine), garden.updateBranch(first, theirs)])
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await garden.head()).toBe(won[0] ? mine : theirs)
    expect(await garden.updateBranch(first, won[0] ? theirs : mine)).toBe(false)
    expect(await garden.head()).toBe(won[0] ? mine : theirs)
  })

  it('keeps history linear', async () => {
    const next = await change(first, [])
    const after = await change(next, [])
    await expect(garden.updateBranch(first, after)).rejects.toThrow('linear')
    await expect(garden.updateBranch(first, '0'.repeat(40))).rejects.toBeInstanceOf(Refused)
    expect(await garden.head()).toBe(first)
  })

  it('takes over locks of the dead and clears them away', async () => {
    const lock = join(gitdir, 'refs/heads/main.lock')
    await writeFile(lock, '')
    await utimes(lock, new Date(0), new Date(0))
    const next = await change(first, [])
    expect(await garden.updateBranch(first, next)).toBe(true)
    await expect(stat(lock)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('loses and doubles nothing between processes that are killed at any point', async () => {
    const start = (id: number) =>
      spawn(process.execPath, ['--input-type=module', '-e', committer(id)], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    const count = async () => (await garden.log()).length
    for (let round = 0; round < 3; round++) {
      const before = await count()
      const children = [1, 2, 3].map((id) => start(round * 10 + id))
      await waitUntil(async () => (await count()) > before + 4, { timeoutMs: 100_000, what: 'five commits' })
      const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(ended)
    }
    const log = await garden.log()
    expect(new Set(log.map((commit) => commit.message)).size).toBe(log.length)
    expect(log.every((commit, i) => commit.parents[0] === log[i + 1]?.oid)).toBe(true)
    expect((await garden.list()).length).toBe(log.length - 1 + FIRST.length)
    const head = await garden.head()
    expect(await garden.updateBranch(head, await change(head, []))).toBe(true)
    expect(await readdir(join(gitdir, 'refs/heads'))).toEqual(['main'])
  }, 360_000)
})

const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

/** A process that is killed when it would give its `nth` object a name. */
const killedAtName = (nth: number) => `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import { openGitRepository } from ${here('./isomorphic-git.ts')}
  const rename = fs.renameSync
  let names = 0
  fs.renameSync = (...given) => (++names === ${nth} ? process.kill(process.pid, 'SIGKILL') : rename(...given))
  syncBuiltinESMExports()
  const garden = await openGitRepository(${JSON.stringify(gitdir)})
  const changes = ['a/x.md', 'b/y.md'].map((path) => ({ path, content: path }))
  const person = { name: 'c', email: 'c@x' }
  await garden.commit({ parent: await garden.head(), changes, message: 'x', author: person, committer: person })
`

/** A process that commits one numbered file after another until it is killed. */
const committer = (id: number) => `
  import { openGitRepository } from ${here('./isomorphic-git.ts')}
  const garden = await openGitRepository(${JSON.stringify(gitdir)})
  const person = { name: 'c', email: 'c@x' }
  for (let n = 0; ; ) {
    const parent = await garden.head()
    const name = 'files/${id}-' + n
    const next = await garden.commit({ parent, changes: [{ path: name, content: name }], message: name, author: person, committer: person })
    if (await garden.updateBranch(parent, next)) n++
  }
`
