/** What a reader gets while neither the parser nor the index is done, and afterwards. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { NotePage, NoteScope } from '#contracts/note.contract.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { budgetRefusal } from '#server/garden/budget-refusal.ts'
import { tagsInTime, tagsOfNotes } from '#server/garden/note-tags.ts'
import { ParsingPool } from '#server/garden/parsing-pool.ts'
import { renderedText } from '#server/garden/read-note.ts'
import type { GitFile, GitRepository } from '#server/ports/git-repository.ts'
import { gardenAt } from '#server/retrieval/garden-index.ts'
import { buildIndex } from '#server/retrieval/search-index.ts'
import { shownInZone } from '#server/search/shown-in-zone.ts'
import type { Services } from '#server/services.ts'
import { getNote } from './get-note.query.ts'
import { listNotes } from './list-notes.query.ts'
import { textRenderer } from './render-text.ts'
import { gardenIsRead, noteIsRead } from './testing/garden-is-read.ts'

const FILES = [
  { path: 'Beds/North.md', content: '---\ntags: [sun]\n---\n# North in time\n\nWild leeks *here*.\n' },
  { path: 'Beds/South.md', content: '# South in time\n\nNo #sun for garlic.\n' },
  { path: 'Private/Diary.md', content: '# Diary in time\n\nLeeks were stolen.\n' },
  ...[1, 2, 3].map((n) => ({ path: `Long/${n}.md`, content: `# Long ${n}\n\n${'- oak\n'.repeat(19_000)}` })),
  { path: 'Long/z.md', content: '# Last\n' },
]
const SUN: NoteScope = { folders: [], tags: ['sun'] }
const BEDS: NoteScope = { folders: ['Beds'], tags: [] }
let garden: GitRepository

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bloom-in-time-'))
  const author = { name: 'Owner', email: 'owner@garden.example' }
  const gitdir = join(folder, 'garden.git')
  await importGarden(await mkdtemp(join(folder, 'empty-')), gitdir, { author, extraFiles: FILES })
  garden = await openGitRepository(gitdir)
  return () => rm(folder, { recursive: true, force: true })
})

/** No text is parsed until the returned function is called. */
function holdParser(): () => void {
  const { run } = ParsingPool.prototype
  const { promise, resolve } = Promise.withResolvers<void>()
  const spied = vi.spyOn(ParsingPool.prototype, 'run')
  spied.mockImplementation(async function (this: ParsingPool, ...asked) {
    await promise
    return run.apply(this, asked)
  })
  const release = () => {
    spied.mockRestore()
    resolve()
  }
  onTestFinished(release)
  return release
}

test('a note that is not parsed in time is shown as it is written, to nobody it is not for, and then as it reads', async () => {
  const release = holdParser()
  const get = (path: string, scope: NoteScope = null) => getNote(garden, scope, { path })
  const [north, diary, stated, said] = await Promise.all([
    get('Beds/North.md'),
    get('Private/Diary.md', BEDS),
    get('Beds/North.md', SUN),
    get('Beds/South.md', SUN),
  ])
  expect(north).toMatchObject({ title: 'North in time', reading: true, tags: ['sun'] })
  expect(north?.content).toMatchObject({ data: { plain: 'reading' }, children: [{ type: 'text' }] })
  expect([diary, stated?.path, said]).toEqual([null, 'Beds/North.md', null])
  // The list of a garden whose reading goes on has been waited for enough.
  const began = performance.now()
  expect((await listNotes(garden, SUN, { limit: 50 })).items.map(({ path }) => path)).toEqual([
    'Beds/North.md',
  ])
  expect(performance.now() - began).toBeLessThan(500)
  release()
  await gardenIsRead(garden)
  await noteIsRead(garden, 'Beds/North.md')
  const read = await get('Beds/North.md')
  expect(read).toMatchObject({ reading: false, content: { children: [{ tagName: 'p' }] } })
  expect((await get('Beds/South.md', SUN))?.tags).toEqual(['sun'])
})

test('a search looks at the lines of what the index does not hold yet, within the zone, and says that it is not all', async () => {
  await gardenIsRead(garden)
  const whole = await gardenAt(garden)
  const early = vi.spyOn(whole, 'indexInTime')
  early.mockResolvedValue({ index: buildIndex([]), holds: () => false })
  onTestFinished(() => early.mockRestore())
  const find = (scope: NoteScope) => listNotes(garden, scope, { q: 'stolen leeks', limit: 50 })
  const all = await find(null)
  expect(all.reading).toBe(true)
  expect(all.items.map(({ path, hit }) => [path, hit?.from, hit?.score])).toEqual([
    ['Beds/North.md', 6, 0.5],
    ['Private/Diary.md', 3, 1],
  ])
  expect((await find(BEDS)).items.map(({ path }) => path)).toEqual(['Beds/North.md'])
  early.mockRestore()
  await whole.index()
  const indexed = await find(null)
  expect([indexed.reading, indexed.items[0]?.path]).toEqual([false, 'Private/Diary.md'])
})

test('a page whose texts are not rendered in time shows them as they are written, and asks again', async () => {
  const release = holdParser()
  const render = await textRenderer(garden, null)
  const text = '# Proposed in time\n\nSee [[North]].\n'
  const early = await render(text, 'Beds/New.md')
  expect(early).toMatchObject({ reading: true, tree: { data: { plain: 'reading' } } })
  expect(early.tree.children).toEqual([{ type: 'text', value: text }])
  release()
  await renderedText(text, { resolve: () => null }, false)
  const late = await (await textRenderer(garden, null))(text, 'Beds/New.md')
  expect(late.reading).toBe(false)
  expect(JSON.stringify(late.tree)).toContain('/notes/Beds/North.md')
})

test('who proposes is answered by the measure of the text while nothing is parsed', async () => {
  holdParser()
  const deep = `# Deep in time\n\n${'>'.repeat(1_000)}\n`
  const [refused, admitted] = await Promise.all([
    budgetRefusal('a.md', deep, null),
    budgetRefusal('a.md', '# Fine in time\n', null),
  ])
  expect([refused?.details, admitted]).toEqual([{ path: 'a.md', budget: 'depth', limit: 32 }, null])
})

test('a zone of tags goes by what notes state while they are not parsed', async () => {
  const release = holdParser()
  const names = ['Stated.md', 'Said.md']
  const texts = ['---\ntags: [sun]\n---\n# Stated now\n', '# Said now\n\n#sun\n']
  const files = {
    read: async (path: string) => ({
      ...((await garden.read('Beds/North.md')) as GitFile),
      path,
      sha256: `${path} now`,
      text: texts[names.indexOf(path)] ?? '',
    }),
  }
  const early = await tagsInTime(files, names)
  expect([...early.values()]).toEqual([['sun'], []])
  const rows = names.map((id) => ({ id, title: id, detail: null, status: null, paths: [id] }))
  const zone = { folders: [], tags: ['sun'] }
  const of = { db: {} as Services['db'], garden: { ...files, head: () => garden.head() } as GitRepository }
  const found = await shownInZone(of, zone, { kind: 'artifact', rows })
  expect(found.map(({ id }) => id)).toEqual(['Stated.md'])
  release()
  expect([...(await tagsOfNotes(files, names)).values()]).toEqual([['sun'], ['sun']])
})

/** The same garden in a process that has read nothing of it yet, and whose texts come only after `release`. */
function unread(): { garden: GitRepository; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  onTestFinished(() => resolve())
  const late: Partial<GitRepository> = {
    head: () => garden.head(),
    list: (revision) => garden.list(revision),
    read: async (path, revision) => {
      if (path.startsWith('Long/')) await promise
      return garden.read(path, revision)
    },
  }
  return { garden: late as GitRepository, release: resolve }
}

test('a garden whose texts are not read in time is listed and searched by its paths, to nobody too many, and read note by note', async () => {
  const { garden: late, release } = unread()
  const list = (scope: NoteScope, q?: string) => listNotes(late, scope, { limit: 50, ...(q ? { q } : {}) })
  const paths = ({ items }: NotePage) => items.map(({ path }) => path)
  const whole = await list(null)
  expect(whole).toMatchObject({ reading: true, total: FILES.length })
  expect(whole.items[0]).toMatchObject({ path: 'Beds/North.md', title: 'North', tags: [] })
  expect(paths(await list(BEDS))).toEqual(['Beds/North.md', 'Beds/South.md'])
  expect(await list(SUN)).toMatchObject({ reading: true, items: [] })
  expect(paths(await list(null, 'diary'))).toEqual(['Private/Diary.md'])
  const get = (path: string, scope: NoteScope = null) => getNote(late, scope, { path })
  expect(await get('Beds/North.md', SUN)).toMatchObject({ reading: true, tags: ['sun'] })
  expect([await get('Private/Diary.md', BEDS), await get('Private/Diary.md', SUN)]).toEqual([null, null])
  release()
  await gardenIsRead(late)
  expect(paths(await list(SUN))).toEqual(['Beds/North.md', 'Beds/South.md'])
})

test('who searches does not wait for the whole index', async () => {
  const again = { head: () => garden.head(), list: garden.list.bind(garden), read: garden.read.bind(garden) }
  const { indexInTime, index } = await gardenAt(again as unknown as GitRepository)
  expect((await indexInTime(0)).holds('Long/z.md')).toBe(false)
  await index()
  expect((await indexInTime(0)).holds('Long/z.md')).toBe(true)
})
