import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { openGitRemote } from './open-git-remote.ts'
import { type GitHttpServer, serveGit } from './testing/git-http-server.ts'

const run = promisify(execFile)
const PERSON = { name: 'Olena', email: 'olena@garden.example' }
let folder: string
let gitdir: string
let remote: string
let garden: GitRepository
let server: GitHttpServer
let shown: string

const git = async (dir: string, ...args: string[]) =>
  (await run('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', '--git-dir', dir, ...args])).stdout.trim()
const never = new AbortController().signal
const at = async () => git(remote, 'rev-parse', 'main').catch(() => null)

async function grow(name: string): Promise<string> {
  const parent = await garden.head()
  const changes = [{ path: `Beds/${name}.md`, content: `# ${name}\n` }]
  const commit = await garden.commit({ parent, changes, message: name, author: PERSON, committer: PERSON })
  await garden.updateBranch(parent, commit)
  return commit
}

/** A commit that somebody else made on the remote's branch. */
async function growRemote(): Promise<string> {
  const parent = await at()
  const tree = await git(remote, 'rev-parse', parent ? 'main^{tree}' : EMPTY_TREE)
  const commit = await git(remote, 'commit-tree', tree, ...(parent ? ['-p', parent] : []), '-m', 'by hand')
  await git(remote, 'update-ref', 'refs/heads/main', commit)
  return commit
}
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** `ssh` that connects to this machine, where the remote's `git receive-pack` runs. */
async function fakeSsh(script: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'bin/ssh'), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, 'bin/ssh'), 0o755)
  vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env.PATH}`)
}
const CONNECT = 'for last; do :; done; exec sh -c "$last"'

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bloom-remote-'))
  server = await serveGit(folder, 'gardener:s3cret/word')
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})
let n = 0
beforeEach(async () => {
  n += 1
  gitdir = join(folder, `garden-${n}.git`)
  remote = join(folder, `remote-${n}.git`)
  await mkdir(join(folder, `notes-${n}`))
  await writeFile(join(folder, `notes-${n}/A.md`), '# A\n')
  await importGarden(join(folder, `notes-${n}`), gitdir, { author: PERSON })
  garden = await openGitRepository(gitdir)
  await run('git', ['init', '-q', '--bare', '-b', 'main', remote])
  await git(remote, 'config', 'http.receivepack', 'true')
  server.answer = null
  server.requests = []
  shown = ''
})
afterEach(() => vi.unstubAllEnvs())

const KINDS = ['directory', 'http', 'ssh'] as const
async function open(kind: (typeof KINDS)[number]) {
  if (kind === 'ssh') await fakeSsh(CONNECT)
  const addresses = {
    directory: remote,
    http: `${server.url.replace('://', '://gardener:s3cret%2Fword@')}/remote-${n}.git`,
    ssh: `ssh://gardener@garden.example${remote}`,
  }
  const opened = openGitRemote(gitdir, addresses[kind])
  shown = opened.address
  return opened
}

describe.each(KINDS)('a remote over %s', (kind) => {
  it('gets the branch with its history, again and again, and is whole by git’s own word', async () => {
    const to = await open(kind)
    const before = (await readdir(gitdir, { recursive: true })).sort()
    expect(await to.push(await garden.head(), never)).toEqual({ ok: true })
    expect((await readdir(gitdir, { recursive: true })).sort()).toEqual(before)
    await grow('North')
    const head = await grow('South')
    expect(await to.push(head, never)).toEqual({ ok: true })
    expect(await to.push(head, never)).toEqual({ ok: true })
    expect(await at()).toBe(head)
    expect(await git(remote, 'show', 'main:Beds/South.md')).toBe('# South')
    expect(await git(remote, 'rev-list', '--count', 'main')).toBe('3')
    await git(remote, 'fsck', '--full', '--strict')
    expect(shown).not.toContain('s3cret')
  })

  it('is never overwritten: with a commit of its own, with another history, or ahead of a garden that was set back', async () => {
    const to = await open(kind)
    const first = await garden.head()
    await to.push(await grow('North'), never)
    expect(await to.push(first, never)).toMatchObject({ ok: false, problem: 'diverged' })
    const theirs = await growRemote()
    expect(await to.push(await grow('South'), never)).toMatchObject({ ok: false, problem: 'diverged' })
    expect(await at()).toBe(theirs)
    await git(remote, 'update-ref', '-d', 'refs/heads/main')
    const other = await growRemote()
    expect(await to.push(await garden.head(), never)).toMatchObject({ ok: false, problem: 'diverged' })
    expect(await at()).toBe(other)
  })

  it('says that there is no repository', async () => {
    const to = await open(kind)
    await rm(remote, { recursive: true })
    expect(await to.push(await garden.head(), never)).toMatchObject({ ok: false, problem: 'not_found' })
  })

  it('stops when it is told to', async () => {
    const to = await open(kind)
    const outcome = await to.push(await garden.head(), AbortSignal.abort())
    expect(outcome).toMatchObject({ ok: false, problem: 'timeout' })
    expect(await at()).toBeNull()
  })
})

describe('what only one kind meets', () => {
  it('a directory: a repository with a work tree is none to push to', async () => {
    await run('git', ['init', '-q', join(folder, `work-${n}`)])
    const push = (path: string) => openGitRemote(gitdir, path).push('0'.repeat(40), never)
    expect(await push(join(folder, `work-${n}/.git`))).toMatchObject({ problem: 'not_found' })
    expect(await push(join(folder, `work-${n}`))).toMatchObject({ problem: 'not_found' })
  })

  it('a directory: a push that was cut off is done again', async () => {
    const head = await grow('North')
    await run('cp', ['-r', join(gitdir, 'objects/'), remote])
    expect(await at()).toBeNull()
    expect(await (await open('directory')).push(head, never)).toEqual({ ok: true })
    await git(remote, 'fsck', '--full', '--strict')
  })

  it.each([
    [401, 'refused'],
    [403, 'refused'],
    [404, 'not_found'],
    [301, 'not_found'],
    [503, 'unreachable'],
    [418, 'failed'],
  ])(
    'HTTP: an answer of %i is %s, asked once, and the message holds no credentials',
    async (status, problem) => {
      server.answer = (response) =>
        void response.writeHead(status, { location: 'http://127.0.0.1:1/x' }).end('s3cret/word')
      const outcome = await (await open('http')).push(await garden.head(), never)
      expect(outcome).toMatchObject({ ok: false, problem, message: expect.stringContaining(String(status)) })
      expect(JSON.stringify(outcome)).not.toMatch(/s3cret|gardener/)
      expect(server.requests).toHaveLength(1)
    },
  )

  it('HTTP: a page is no repository, and a port where nobody listens is unreachable', async () => {
    server.answer = (response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>')
    expect(await (await open('http')).push(await garden.head(), never)).toMatchObject({
      problem: 'not_found',
    })
    const nobody = openGitRemote(gitdir, 'http://gardener:s3cret@127.0.0.1:9/x.git')
    const outcome = await nobody.push(await garden.head(), never)
    expect(outcome).toMatchObject({ problem: 'unreachable' })
    expect(JSON.stringify(outcome)).not.toContain('s3cret')
  })

  it('HTTP: a remote that hangs is left at the limit', async () => {
    server.answer = () => {}
    const outcome = await (await open('http')).push(await garden.head(), AbortSignal.timeout(200))
    expect(outcome).toMatchObject({ problem: 'timeout' })
  })

  it.each(['http', 'ssh'] as const)('%s: what a hook of the remote declines is rejected', async (kind) => {
    await mkdir(join(remote, 'hooks'), { recursive: true })
    await writeFile(join(remote, 'hooks/pre-receive'), '#!/bin/sh\necho no pushes today\nexit 1\n')
    await chmod(join(remote, 'hooks/pre-receive'), 0o755)
    const outcome = await (await open(kind)).push(await garden.head(), never)
    expect(outcome).toMatchObject({ problem: 'rejected', message: expect.stringContaining('hook declined') })
  })

  it.each([
    ['echo "Permission denied (publickey)." >&2; exit 255', 'refused'],
    ['echo "Host key verification failed." >&2; exit 255', 'refused'],
    ['echo "ssh: Could not resolve hostname garden.example" >&2; exit 255', 'unreachable'],
  ])('ssh: %s is %s', async (script, problem) => {
    const to = await open('ssh')
    await fakeSsh(script)
    expect(await to.push(await garden.head(), never)).toMatchObject({ ok: false, problem })
  })

  it('ssh: asks nobody, runs no hook of the garden, and gets none of the console’s variables', async () => {
    const to = await open('ssh')
    vi.stubEnv('BLOOM_SESSION_KEY', 'planted')
    await fakeSsh(`env > ${folder}/seen-${n}; echo "$@" >> ${folder}/seen-${n}; ${CONNECT}`)
    await mkdir(join(gitdir, 'hooks'), { recursive: true })
    await writeFile(join(gitdir, 'hooks/pre-push'), '#!/bin/sh\nexit 1\n')
    await chmod(join(gitdir, 'hooks/pre-push'), 0o755)
    expect(await to.push(await garden.head(), never)).toEqual({ ok: true })
    const { stdout: seen } = await run('cat', [join(folder, `seen-${n}`)])
    expect(seen).toContain('BatchMode=yes')
    expect(seen).toContain('GIT_TERMINAL_PROMPT=0')
    expect(seen).toContain('BLOOM_CONSOLE_GIT=1')
    expect(seen).not.toContain('planted')
  })

  it('ssh: says that git is not installed; the others do without it', async () => {
    const [directory, http, ssh] = [await open('directory'), await open('http'), await open('ssh')]
    const head = await garden.head()
    vi.stubEnv('PATH', '/nowhere')
    expect(await ssh.push(head, never)).toMatchObject({ problem: 'no_git' })
    expect(await directory.push(head, never)).toEqual({ ok: true })
    server.answer = (response) => void response.writeHead(404).end()
    expect(await http.push(head, never)).toMatchObject({ problem: 'not_found' })
  })
})
