import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { gardenFolder } from './create-services.ts'
import { makeFirstGarden } from './make-first-garden.ts'

let home: string
let demo: string
const agents = ['a', 'b'].map((slug) => ({ path: `agents/${slug}/_agent.md`, content: `ours ${slug}\n` }))

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'bloom-first-'))
  demo = join(home, 'demo')
  await mkdir(demo)
  await writeFile(join(demo, 'note.md'), 'demo\n')
})
afterEach(() => rm(home, { recursive: true, force: true }))

it('makes the demo garden once', async () => {
  const env = { BLOOM_HOME: home }
  const first = await makeFirstGarden(env, demo, agents)
  expect(first).toMatchObject({ created: true, files: 3, ours: agents.map((file) => file.path) })
  await writeFile(join(demo, 'late.md'), 'late\n')
  expect(await makeFirstGarden(env, demo, agents)).toMatchObject({
    created: false,
    head: first.head,
    ours: first.ours,
  })
  expect(await (await openGitRepository(gardenFolder(env))).read('late.md')).toBeNull()
})

it('makes the given garden, and trusts no file that only bears the name of one of ours', async () => {
  const GARDEN_DIR = join(home, 'given')
  await mkdir(join(GARDEN_DIR, 'agents/a'), { recursive: true })
  await writeFile(join(GARDEN_DIR, 'agents/a/_agent.md'), 'theirs\n')
  const made = await makeFirstGarden({ BLOOM_HOME: home, GARDEN_DIR }, demo, agents)
  expect(made).toMatchObject({ created: true, files: 2, ours: ['agents/b/_agent.md'] })
})
