import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isNotePath, parseGardenPath } from '#domain/garden/garden-path.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { parseAgentFile } from '#server/agents/agent-file.ts'
import { gardenFaults } from '#server/agents/tools/garden-check.task.ts'
import { unlinkedMentions } from '#server/agents/tools/unlinked-mentions.ts'
import { fileFault } from '#server/garden/file-fault.ts'
import { gardenLinks } from '#server/garden/note-links.ts'
import { DEMO_AGENTS, demoAgentFiles, demoGardenFolder } from './demo-garden.ts'

const author = { name: 'Garden Bloom', email: 'garden@bloom.invalid' }
let folder: string
let files: { path: string; text: string }[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bloom-demo-'))
  const report = await importGarden(demoGardenFolder(), join(folder, 'demo.git'), { author })
  expect(report.leftOut).toEqual([])
  const garden = await openGitRepository(join(folder, 'demo.git'))
  files = []
  for (const { path } of await garden.list())
    files.push({ path, text: (await garden.read(path))?.text ?? '' })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('is a garden whose every file may stand in it', () => {
  expect(files.length).toBeGreaterThan(15)
  for (const { path, text } of files) {
    expect(parseGardenPath(path).ok, path).toBe(true)
    expect(fileFault(path, text), path).toBeNull()
  }
})

it('has three agents without a fault, active from the first commit', async () => {
  const agents = await demoAgentFiles()
  expect(agents.map((file) => file.path)).toEqual(DEMO_AGENTS.map((slug) => `agents/${slug}/_agent.md`))
  for (const { path, content } of agents) {
    const parsed = parseAgentFile(content, path.split('/')[1] ?? '')
    expect(parsed.problems, path).toEqual([])
    expect(parsed.definition.task, path).not.toBeNull()
    expect(parsed.frontmatter).toMatchObject({ status: 'active', model: 'extractive' })
    expect(files).toContainEqual({ path, text: content })
  }
})

it('has work for each of them', async () => {
  const notes = files
    .filter(({ path }) => isNotePath(path))
    .map((note) => ({ ...note, revision: '0'.repeat(40) }))
  const links = await gardenLinks(notes)
  const { broken, orphans } = gardenFaults(notes, links)
  expect(broken.length).toBeGreaterThan(5)
  expect(orphans.map((note) => note.path)).toContain('Ideas/Bee hotel.md')
  expect((await unlinkedMentions(notes, links)).length).toBeGreaterThan(8)
  expect(notes.some((note) => /[їєґ]/u.test(note.text))).toBe(true)
})

it('joins a garden from outside without touching it', async () => {
  const outside = await mkdtemp(join(folder, 'outside-'))
  const gitdir = join(folder, 'outside.git')
  await importGarden(outside, gitdir, { author, extraFiles: await demoAgentFiles() })
  const garden = await openGitRepository(gitdir)
  expect((await garden.list()).map((entry) => entry.path)).toEqual(
    [...DEMO_AGENTS].sort().map((slug) => `agents/${slug}/_agent.md`),
  )
  expect(await readdir(outside)).toEqual([])
  const own = await readFile(join(demoGardenFolder(), 'agents/link-gardener/_agent.md'), 'utf8')
  expect((await garden.read('agents/link-gardener/_agent.md'))?.text).toBe(own)
})
