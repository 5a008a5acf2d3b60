/** A search in a folder, a tag or a zone, where very many better passages lie elsewhere. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NoteScope } from '#contracts/note.contract.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { makeGarden } from '#server/proposals/testing/garden-kit.ts'
import { listNotes } from './list-notes.query.ts'
import { gardenIsRead } from './testing/garden-is-read.ts'

const FAR = 'Beds/Far.md'
let folder: string
let garden: GitRepository

beforeAll(async () => {
  folder = await makeGarden({
    'Plans/Many.md': `# Many\n\n${'- Lovage.\n'.repeat(1_500)}`,
    [FAR]: `---\ntags: [shade]\n---\n# Far\n\n${'Here grow many other things. '.repeat(20)}And lovage.\n`,
  })
  garden = await openGitRepository(join(folder, 'garden.git'))
  await gardenIsRead(garden)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const found = async (input: object, scope: NoteScope = null) => {
  const { items, total } = await listNotes(garden, scope, { limit: 50, q: 'lovage', ...input })
  return { total, found: items.map(({ path, hit }) => [path, hit?.line]) }
}

test.each<[string, object, NoteScope]>([
  ['a folder', { folder: 'Beds' }, null],
  ['a tag', { tag: 'shade' }, null],
  ['a zone of folders', {}, { folders: ['Beds'], tags: [] }],
  ['a zone of tags', {}, { folders: [], tags: ['shade'] }],
])('finds what lies in %s', async (_, input, scope) => {
  expect(await found(input, scope)).toEqual({ total: 1, found: [[FAR, 6]] })
})

test('finds every note, however many passages of another one are better', async () => {
  const all = {
    total: 2,
    found: [
      ['Plans/Many.md', 3],
      [FAR, 6],
    ],
  }
  expect(await found({})).toEqual(all)
  const { items } = await listNotes(garden, null, { limit: 50, q: 'lovage' })
  expect(items.map(({ other_hits }) => other_hits.length)).toEqual([2, 0])
})
