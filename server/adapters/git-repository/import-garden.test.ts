import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { leftOutLines } from '#domain/garden/left-out.rules.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { importGarden } from './import-garden.ts'
import { openGitRepository } from './isomorphic-git.ts'

const author = { name: 'Garden Bloom', email: 'garden@bloom.invalid' }
let folder: string
let source: string
let gitdir: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bloom-import-'))
  source = join(folder, 'notes')
  gitdir = join(folder, 'garden.git')
  await mkdir(join(source, 'архів/.obsidian'), { recursive: true })
  await mkdir(join(source, '.git'))
  await writeFile(join(source, '.git/config'), '[core]\n')
  await writeFile(join(source, 'ІНДЕКС.md'), '# Індекс\r\nbez novoho rjadka')
  await writeFile(join(source, 'архів/a.md'), 'a\n')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('takes the notes byte for byte and says what it left out', async () => {
  await writeFile(join(source, 'photo.jpg'), new Uint8Array([0xff, 0xd8, 0, 1]))
  await writeFile(join(source, 'huge.md'), 'x'.repeat(1024 * 1024 + 1))
  await writeFile(join(source, 'a:b.md'), 'x')
  await writeFile(join(source, 'a\\b.md'), 'x')
  await writeFile(join(source, 'NOTE.md'), 'x\n')
  await writeFile(join(source, 'note.md'), 'y\n')
  await writeFile(join(source, 'cafe\u0301.md'), 'nfd\n')
  await symlink('/etc/hostname', join(source, 'link.md'))
  await symlink(folder, join(source, 'linked'))
  const report = await importGarden(source, gitdir, { author })
  expect(report.created).toBe(true)
  expect(report.files).toBe(6)
  expect(report.leftOut.map(({ path }) => path).sort()).toEqual(
    ['.git', 'a\\b.md', 'huge.md', 'link.md', 'linked', 'note.md', 'photo.jpg', 'архів/.obsidian'].sort(),
  )
  const reasons = new Map(report.leftOut.map(({ path, reason }) => [path, reason]))
  expect(Object.fromEntries(reasons)).toMatchObject({
    '.git': 'git',
    linked: 'symlink',
    'note.md': 'twin',
    'a\\b.md': 'backslash',
    'huge.md': 'too_large',
    'photo.jpg': 'not_text',
    'архів/.obsidian': 'hidden',
  })
  expect(leftOutLines(report.leftOut)).toContain('  2 × a symbolic link: link.md, linked')
  const garden = await openGitRepository(gitdir)
  expect(await garden.head()).toBe(report.head)
  expect((await garden.list()).map((entry) => entry.path)).toEqual([
    'NOTE.md',
    '_bloom/import.json',
    'a:b.md',
    'cafe\u0301.md',
    'ІНДЕКС.md',
    'архів/a.md',
  ])
  expect((await garden.read('ІНДЕКС.md'))?.sha256).toBe(sha256Hex('# Індекс\r\nbez novoho rjadka'))
  expect(JSON.parse((await garden.read('_bloom/import.json'))?.text ?? '')).toEqual({
    left_out: report.leftOut,
    not_named: 0,
  })
  expect(await garden.log()).toHaveLength(1)
  expect(await readdir(join(gitdir, 'bloom/staging'))).toEqual([])
})

it('leaves out a name that is not UTF-8 and takes the rest', async () => {
  const torn = Buffer.from([0x61, 0xff, 0x2e, 0x6d, 0x64])
  await writeFile(Buffer.concat([Buffer.from(`${source}/`), torn]), 'x\n')
  const report = await importGarden(source, gitdir, { author })
  expect(report.leftOut).toContainEqual({ path: 'a\ufffd.md', reason: 'not_utf8_name' })
  expect(report.files).toBe(3)
})

it('does nothing the second time, whatever has become of the folder', async () => {
  const first = await importGarden(source, gitdir, { author })
  await writeFile(join(source, 'new.md'), 'x')
  expect(await importGarden(source, gitdir, { author })).toEqual({
    created: false,
    head: first.head,
    files: 0,
    leftOut: [],
  })
  await rm(source, { recursive: true })
  expect((await importGarden(source, gitdir, { author })).created).toBe(false)
})

it('starts again after an import that was cut off, and side by side makes one commit', async () => {
  await importGarden(source, gitdir, { author })
  await rm(join(gitdir, 'refs/heads/main'))
  const [a, b] = await Promise.all([1, 2].map(() => importGarden(source, gitdir, { author })))
  expect([a?.created, b?.created].filter(Boolean)).toHaveLength(1)
  expect(a?.head).toBe(b?.head)
})

it('is not in its place before it is whole, and what a killed import left beside it goes', async () => {
  await mkdir(`${gitdir}.new-999999999-x/objects`, { recursive: true })
  await mkdir(`${gitdir}.new-${process.pid}-x/objects`, { recursive: true })
  await writeFile(join(source, 'torn'), 'x')
  await expect(importGarden(join(source, 'torn'), gitdir, { author })).rejects.toThrow()
  expect((await readdir(folder)).filter((name) => name.startsWith('garden.git'))).toEqual([
    `garden.git.new-${process.pid}-x`,
  ])
})

it('never makes a garden again that has a history and lost its branch', async () => {
  const { head } = await importGarden(source, gitdir, { author })
  const garden = await openGitRepository(gitdir)
  const change = { changes: [{ path: 'more.md', content: 'more\n' }], message: 'More' }
  const next = await garden.commit({ parent: head, ...change, author, committer: author })
  await garden.updateBranch(head, next)
  await rm(join(gitdir, 'refs/heads/main'))
  await expect(importGarden(source, gitdir, { author })).rejects.toThrow('has commits but no branch')
  expect((await garden.read('more.md', next))?.text).toBe('more\n')
})

it('adds files of its own, but never over those of the folder', async () => {
  await mkdir(join(source, 'agents/x'), { recursive: true })
  await writeFile(join(source, 'agents/x/_agent.md'), 'theirs\n')
  const extraFiles = ['x', 'y'].map((slug) => ({ path: `agents/${slug}/_agent.md`, content: 'ours\n' }))
  await importGarden(source, gitdir, { author, extraFiles })
  const garden = await openGitRepository(gitdir)
  expect((await garden.read('agents/x/_agent.md'))?.text).toBe('theirs\n')
  expect((await garden.read('agents/y/_agent.md'))?.text).toBe('ours\n')
})

it('leaves the source as it was, and a repository that git finds sound', async () => {
  const before = await readdir(source, { recursive: true })
  await importGarden(source, gitdir, { author })
  expect(await readdir(source, { recursive: true })).toEqual(before)
  const git = promisify(execFile)('git', ['-C', gitdir, 'fsck', '--full', '--strict'])
  const said = await git.catch((error) => (error.code === 'ENOENT' ? null : Promise.reject(error)))
  if (said) expect(said.stderr).toBe('')
  expect(await readdir(gitdir)).not.toContain('index')
})

it('fails on a folder that is not there, and makes no branch', async () => {
  await expect(importGarden(join(folder, 'none'), gitdir, { author })).rejects.toThrow()
  await expect(openGitRepository(gitdir)).rejects.toThrow('no commit')
})
