import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { watch } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { stagedName } from '#server/adapters/file-system/durable-file.ts'
import { ownIdentity } from '#server/adapters/file-system/process-identity.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { importGarden } from './import-garden.ts'
import { openGitRepository } from './isomorphic-git.ts'

const run = promisify(execFile)
const PERSON = { name: 'Olena', email: 'olena@garden.example' }
let folder: string
let gitdir: string
let garden: GitRepository

const git = async (...args: string[]) => (await run('git', ['--git-dir', gitdir, ...args])).stdout.trim()
const objectFile = (oid: string) => join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2))

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bloom-upkeep-'))
  gitdir = join(folder, 'garden.git')
  const extraFiles = ['A.md', 'Beds/North.md'].map((path) => ({ path, content: `# ${path}\n` }))
  await importGarden(await mkdtemp(join(folder, 'notes-')), gitdir, { author: PERSON, extraFiles })
  garden = await openGitRepository(gitdir)
  const parent = await garden.head()
  const changes = [{ path: 'A.md', content: '# A, better\n' }]
  const next = await garden.commit({ parent, changes, message: 'better', author: PERSON, committer: PERSON })
  await garden.updateBranch(parent, next)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

describe.each(['git', 'console'] as const)('checking all objects, by %s', (by) => {
  const verify = async () => {
    if (by === 'console') vi.stubEnv('PATH', '/nowhere')
    const found = await garden.verify()
    vi.unstubAllEnvs()
    return found
  }

  it('finds a whole repository whole, loose and packed', async () => {
    const whole = { by, commit: await garden.head(), faults: [] }
    expect(await verify()).toMatchObject({ ...whole, objects: by === 'git' ? null : 8 })
    await git('gc', '-q', '--prune=now')
    expect(await verify()).toMatchObject(whole)
  })

  it.each([
    ['a blob of an older commit', 'main~1:A.md'],
    ['a tree', 'main:Beds'],
    ['a commit of the past', 'main~1'],
  ])('names %s that is gone', async (_, name) => {
    const oid = await git('rev-parse', name)
    await rm(objectFile(oid))
    expect((await verify()).faults.join('\n')).toContain(oid)
  })

  it('names one whose bytes are another’s, and one that is torn', async () => {
    const [old, now, north] = await Promise.all(
      ['main~1:A.md', 'main:A.md', 'main:Beds/North.md'].map((name) => git('rev-parse', name)),
    )
    for (const oid of [old, north]) await chmod(objectFile(oid as string), 0o644)
    await run('cp', [objectFile(now as string), objectFile(old as string)])
    await truncate(objectFile(north as string), 10)
    const faults = (await verify()).faults.join('\n')
    expect(faults).toContain(old)
    expect(faults).toContain(north)
  })

  it('says nothing of the form in which somebody once wrote a commit', async () => {
    const tree = await git('rev-parse', 'main^{tree}')
    const text = `tree ${tree}\nparent ${await garden.head()}\nauthor x <x@x> 01 +0000\ncommitter x <x@x> 1 +0000\n\nodd\n`
    const child = spawn('git', [
      '--git-dir',
      gitdir,
      'hash-object',
      '-t',
      'commit',
      '-w',
      '--literally',
      '--stdin',
    ])
    child.stdin.end(text)
    const [oid] = await once(child.stdout, 'data')
    await once(child, 'close')
    await git('update-ref', 'refs/heads/main', String(oid).trim())
    await expect(git('fsck', '--full')).rejects.toThrow('zeroPaddedDate')
    expect((await verify()).faults).toEqual([])
  })
})

const gitThat = async (script: string) => {
  await writeFile(join(folder, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
}

describe('a git that does not answer the question', () => {
  it.each([
    ['is killed', 'kill -9 $$'],
    ['fails without a word', 'exit 2'],
  ])('and %s is no finding', async (_, script) => {
    await gitThat(script)
    await expect(garden.verify()).rejects.toThrow('git fsck ended before it was done')
  })

  it('but gives up is no finding either: everything is read without it', async () => {
    await gitThat('echo "fatal: Out of memory, malloc failed" >&2; exit 128')
    expect(await garden.verify()).toMatchObject({ by: 'console', faults: [] })
  })

  it('gives up over a torn head, which is found without it', async () => {
    const head = await garden.head()
    await chmod(objectFile(head), 0o644)
    await truncate(objectFile(head), 10)
    await expect(git('fsck', '--full')).rejects.toMatchObject({ code: 128 })
    expect(await garden.verify()).toMatchObject({ by: 'console', faults: [expect.stringContaining(head)] })
  })
})

describe('what ended processes left', () => {
  const BEFORE = new Date(Date.now() - 40_000)
  const leave = async (name: string, text: string, at = BEFORE) => {
    await writeFile(join(gitdir, name), text)
    await utimes(join(gitdir, name), at, at)
  }
  const ours = (who: object) => `${JSON.stringify({ ...ownIdentity(), ...who, token: 't' })}\n`
  const exists = (name: string) =>
    stat(join(gitdir, name)).then(
      () => true,
      () => false,
    )
  /** A person's git that stays in the repository until it is told to end. */
  const gitAtWork = async (args: string[], cwd = '/') => {
    const child = spawn('git', [...args, 'cat-file', '--batch'], { cwd })
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdin.write('main\n')
    await once(child.stdout, 'data')
    return child
  }
  /** Settles with so many files seen in the staging folder: each attempt at a lock stages one, and looks at the lock before the next. */
  const stagedNames = (number: number) =>
    new Promise<void>((resolve) => {
      const names = new Set<string>()
      const own = stagedName().slice(0, -randomUUID().length)
      const watcher = watch(join(gitdir, 'bloom/staging'), (_, name) => {
        if (name?.startsWith(own) && names.add(name).size === number) resolve()
      })
      onTestFinished(() => watcher.close())
    })
  /** A process that has ended: its id names nobody. */
  const ended = async () => {
    const child = spawn('true')
    await once(child, 'close')
    return child.pid as number
  }

  it('locks of the console: of a dead process at once, of a living one never', async () => {
    await leave('refs/heads/main.lock', ours({ pid: await ended() }), new Date())
    await leave('packed-refs.lock', ours({}), new Date(0))
    expect(await garden.sweep()).toEqual(['refs/heads/main.lock'])
    expect(await exists('packed-refs.lock')).toBe(true)
  })

  it('locks of a person’s git: old ones, unless a living git is at work in the repository', async () => {
    const atWork = await gitAtWork(['--git-dir', gitdir])
    for (const name of ['refs/heads/main.lock', 'packed-refs.lock', 'index.lock', 'HEAD.lock'])
      await leave(name, '')
    expect(await garden.sweep()).toEqual([])
    atWork.stdin.end()
    await once(atWork, 'close')
    await leave('HEAD.lock', '', new Date())
    expect((await garden.sweep()).sort()).toEqual(['index.lock', 'packed-refs.lock', 'refs/heads/main.lock'])
    expect(await exists('HEAD.lock')).toBe(true)
    await git('update-ref', 'refs/heads/other', 'main')
  })

  it('the console’s own git is no person’s, and a person’s is seen through a link', async () => {
    await run('mkfifo', [join(folder, 'end'), join(folder, 'begun')])
    await gitThat(`echo > ${folder}/begun; read -r line < ${folder}/end`)
    const verified = garden.verify()
    await readFile(join(folder, 'begun'))
    vi.unstubAllEnvs()
    await leave('index.lock', '')
    expect(await garden.sweep()).toEqual(['index.lock'])
    await writeFile(join(folder, 'end'), '\n')
    expect((await verified).faults).toEqual([])
    await symlink(folder, `${folder}-link`)
    onTestFinished(() => rm(`${folder}-link`, { force: true }))
    await gitAtWork(['--git-dir', '.'], gitdir)
    await leave('index.lock', '')
    expect(await (await openGitRepository(join(`${folder}-link`, 'garden.git'))).sweep()).toEqual([])
  })

  it('the branch waits for a person’s git that is at work, and moves when it is gone', async () => {
    const parent = await garden.head()
    const next = await garden.commit({
      parent,
      changes: [],
      message: 'next',
      author: PERSON,
      committer: PERSON,
    })
    const atWork = await gitAtWork(['--git-dir', gitdir])
    await leave('refs/heads/main.lock', '')
    const attempts = stagedNames(3)
    const moving = garden.updateBranch(parent, next)
    await attempts
    expect(await readFile(join(gitdir, 'refs/heads/main.lock'), 'utf8')).toBe('')
    expect(await garden.head()).toBe(parent)
    atWork.kill('SIGKILL')
    expect(await moving).toBe(true)
  })

  it('what cannot be looked at stays, and keeps nothing else', async () => {
    for (const name of ['HEAD.lock', 'index.lock', 'packed-refs.lock']) await leave(name, '')
    const second = `reap-${sha256Hex(join(gitdir, 'index.lock')).slice(0, 32)}`
    await mkdir(join(gitdir, 'bloom/staging', second))
    const faults: unknown[] = []
    const removed = await garden.sweep((error) => void faults.push(error))
    expect(removed.sort()).toEqual(['HEAD.lock', 'packed-refs.lock'])
    expect(faults).toMatchObject([{ code: 'EISDIR' }])
  })

  it('staged files: of a dead process after 30 s, of a living one not', async () => {
    const dead = { ...ownIdentity(), pid: await ended() }
    const [old, fresh, mine] = [stagedName(dead), stagedName(dead), stagedName()]
    await leave(`bloom/staging/${old}`, 'x')
    await leave(`bloom/staging/${fresh}`, 'x', new Date())
    await leave(`bloom/staging/${mine}`, 'x')
    expect(await garden.sweep()).toEqual([`bloom/staging/${old}`])
    expect((await readdir(join(gitdir, 'bloom/staging'))).sort()).toEqual([fresh, mine].sort())
  })
})
