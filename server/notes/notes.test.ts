import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { refusalOf } from '#server/auth/refusal-of.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { getExcerpt, getNote } from './get-note.query.ts'
import { listNotes } from './list-notes.query.ts'
import { noteTree } from './note-tree.query.ts'
import { gardenIsRead, noteIsRead } from './testing/garden-is-read.ts'
import { FILES, PERSON } from './testing/small-garden.ts'
import { visibleGarden } from './visible-notes.ts'

const ZONE = { folders: ['Beds'], tags: [] }
let folder: string
let garden: GitRepository
let first: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bloom-notes-'))
  const gitdir = join(folder, 'garden.git')
  await importGarden(await mkdtemp(join(folder, 'empty-')), gitdir, { author: PERSON, extraFiles: FILES })
  garden = await openGitRepository(gitdir)
  first = await garden.head()
  const next = await garden.commit({
    parent: first,
    changes: [{ path: 'Beds/South.md', content: '# South bed\n\nOnly basil grows here now, #bed.\n' }],
    message: 'Basil',
    author: PERSON,
    committer: PERSON,
  })
  await garden.updateBranch(first, next)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const list = async (input: object, scope: Parameters<typeof listNotes>[1] = null) => {
  await gardenIsRead(garden)
  return listNotes(garden, scope, { limit: 50, ...input })
}

test('a file that cannot be read is an unavailable storage, not a missing note', async () => {
  const gitdir = join(folder, 'garden.git')
  const { oid = '' } = (await garden.read('Beds/South.md', first)) ?? {}
  const object = join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2))
  const bytes = await readFile(object)
  await rm(object)
  await writeFile(object, 'torn')
  const fresh = await openGitRepository(gitdir)
  const place = { path: 'Beds/South.md', revision: first, from: 1, to: 1, around: 0 }
  await expect(getExcerpt(fresh, null, place)).rejects.toBeInstanceOf(StorageUnavailable)
  await rm(object)
  await writeFile(object, bytes)
  expect(await getExcerpt(fresh, null, place)).toMatchObject({ revision: first })
})

describe('a branch file that is gone', () => {
  test('is an unavailable storage everywhere, not a missing note', async () => {
    const branch = join(folder, 'garden.git/refs/heads/main')
    const text = await readFile(branch, 'utf8')
    await rm(branch)
    const place = { path: 'Beds/North.md', revision: first, from: 1, to: 1, around: 0 }
    try {
      const reads = [
        () => list({}),
        () => getNote(garden, null, { path: 'Beds/North.md' }),
        () => getNote(garden, ZONE, place),
        () => getExcerpt(garden, null, place),
      ]
      for (const read of reads) {
        const refused = refusalOf(await read().catch((error: unknown) => error))
        expect(refused).toMatchObject({ refusal: { code: 'STORAGE_UNAVAILABLE' }, expected: false })
      }
    } finally {
      await writeFile(branch, text)
    }
  })
})

describe('the tree', () => {
  test('holds the folders that are asked for: their folders with what is below them, then their notes by title', async () => {
    await gardenIsRead(garden)
    const { levels } = await noteTree(garden, null, ['', 'Beds'])
    const top = ['Beds', 'Private'].map((path, n) => ({ path, notes: 2 - n }))
    expect(levels).toMatchObject([
      { folder: '', folders: top, notes: [{ path: 'ІНДЕКС.md', title: 'Індекс' }] },
      { folder: 'Beds', folders: [], notes: [{ title: 'North bed' }, { title: 'South bed' }], more: 0 },
    ])
  })

  test('of a zone knows no other folder, whichever are asked for, and counts what the tags show', async () => {
    await gardenIsRead(garden)
    const { levels } = await noteTree(garden, ZONE, ['', 'Private', 'Beds'])
    expect(levels).toMatchObject([
      { folder: '', folders: [{ path: 'Beds', notes: 2 }], notes: [], more: 0 },
      { folder: 'Private', folders: [], notes: [], more: 0 },
      { folder: 'Beds', notes: [{ title: 'North bed' }, { title: 'South bed' }] },
    ])
    expect(JSON.stringify(levels)).not.toMatch(/Diary|ІНДЕКС/)
    const shade = await noteTree(garden, { folders: ['Beds'], tags: ['shade'] }, ['', 'Beds'])
    expect(shade.levels).toMatchObject([
      { folders: [{ path: 'Beds', name: 'Beds', notes: 1 }] },
      { notes: [{ path: 'Beds/North.md' }] },
    ])
  })
})

describe('the list', () => {
  test('holds the notes alone: no agents, no files of the product', async () => {
    const page = await list({})
    expect(page.items.map((n) => n.path)).toEqual([
      'Beds/North.md',
      'Beds/South.md',
      'Private/Diary.md',
      'ІНДЕКС.md',
    ])
    expect(page.folders.map((f) => [f.path, f.notes])).toEqual([
      ['Beds', 2],
      ['Private', 1],
    ])
    expect(page.tags[0]).toEqual({ tag: 'bed', notes: 2 })
  })

  test('is cut into pages without gap or repeat', async () => {
    const paths: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({ limit: 1, ...(cursor ? { cursor } : {}) })
      paths.push(...page.items.map((n) => n.path))
      cursor = page.next_cursor
    } while (cursor)
    expect(paths).toEqual((await list({})).items.map((n) => n.path))
  })

  test('refuses a cursor that names no note of the list', async () => {
    const cursor = 'Private/Diary.md'
    expect((await list({ cursor })).items.map((n) => n.path)).toEqual(['ІНДЕКС.md'])
    for (const asked of [{ cursor: 'Nowhere.md' }, { cursor, folder: 'Beds' }]) {
      await expect(list(asked)).rejects.toMatchObject({ refusal: { code: 'BAD_REQUEST' } })
    }
  })

  test('is searched, in any language', async () => {
    expect((await list({ q: 'оренда лідерства' })).items[0]).toMatchObject({
      path: 'ІНДЕКС.md',
      hit: {
        from: 3,
        to: 3,
        line: 3,
        score: 1,
        marks: [
          [7, 13],
          [14, 23],
        ],
      },
    })
  })

  test('finds a word that is still being typed, and a note by its name first', async () => {
    expect((await list({ q: 'лідер' })).items.map((n) => n.path)).toEqual(['ІНДЕКС.md'])
    expect((await list({ q: 'toma' })).items.map((n) => n.path)).toEqual(['Private/Diary.md'])
    const [first] = (await list({ q: 'south bed' })).items
    expect(first?.path).toBe('Beds/South.md')
  })

  test('a guest sees, finds and counts only what the zone shows', async () => {
    const page = await list({}, ZONE)
    expect(page.items.map((n) => n.path)).toEqual(['Beds/North.md', 'Beds/South.md'])
    expect(page.folders).toHaveLength(1)
    expect((await list({ q: 'tomatoes stolen' }, ZONE)).items).toEqual([])
    expect((await list({}, { folders: [], tags: ['shade'] })).items.map((n) => n.path)).toEqual([
      'Beds/North.md',
    ])
    expect((await list({}, { folders: [], tags: [] })).items).toEqual([])
  })
})

describe('one note', () => {
  test('has its links resolved, its backlinks, and no second title', async () => {
    await gardenIsRead(garden)
    await noteIsRead(garden, 'Beds/North.md')
    const note = await getNote(garden, null, { path: 'Beds/North.md' })
    expect(note?.links.map((l) => [l.target, l.path])).toEqual([
      ['South', 'Beds/South.md'],
      ['Nowhere', null],
    ])
    const text = 'Tomatoes were stolen. North'
    expect(note?.backlinks).toEqual([{ path: 'Private/Diary.md', title: 'Diary', text }])
    const tree = JSON.stringify(note?.content)
    expect(tree).toContain('/notes/Beds/South.md')
    expect(tree).toContain('broken-link')
    expect(tree).not.toContain('North bed')
  })

  test('a guest sees nothing of what lies outside: no note, no backlink, no way there', async () => {
    expect(await getNote(garden, ZONE, { path: 'Private/Diary.md' })).toBeNull()
    expect((await getNote(garden, ZONE, { path: 'Beds/North.md' }))?.backlinks).toEqual([])
    expect(await getExcerpt(garden, ZONE, { path: 'Private/Diary.md', from: 1, to: 1, around: 0 })).toBeNull()
  })

  test('is read at a revision of the branch and at no other', async () => {
    expect((await getNote(garden, null, { path: 'Beds/South.md', revision: first }))?.markdown).toContain(
      'Tomatoes',
    )
    expect(await getNote(garden, null, { path: 'Beds/South.md', revision: '0'.repeat(40) })).toBeNull()
    const lost = await garden.commit({
      parent: await garden.head(),
      changes: [{ path: 'Beds/South.md', content: 'Never applied.\n' }],
      message: 'A commit that the branch never came to',
      author: PERSON,
      committer: PERSON,
    })
    expect(await getNote(garden, null, { path: 'Beds/South.md', revision: lost })).toBeNull()
    const excerpt = { path: 'Beds/South.md', revision: lost, from: 1, to: 1, around: 0 }
    expect(await getExcerpt(garden, null, excerpt)).toBeNull()
  })
})

describe('the cited place', () => {
  test('says when the garden has moved on', async () => {
    const cited = { path: 'Beds/South.md', from: 3, to: 3, around: 1 }
    const then = await getExcerpt(garden, null, { ...cited, revision: first })
    expect(then).toMatchObject({ changed: true, from: 3, to: 3, total_lines: 3 })
    expect(then?.lines.map((l) => [l.n, l.cited])).toEqual([
      [2, false],
      [3, true],
    ])
    expect((await getExcerpt(garden, null, cited))?.changed).toBe(false)
    expect(await getExcerpt(garden, null, { ...cited, from: 9, to: 9 })).toBeNull()
  })
})

describe('a garden with notes that pass a budget', () => {
  test('is listed, searched and read as before, those as plain text', async () => {
    const head = await garden.head()
    const changes = [
      { path: 'Hostile/Deep.md', content: `# Deep leeks\n\n${'>'.repeat(10_000)}\n` },
      { path: 'Hostile/Keys.md', content: `---\n${'a: 1\n'.repeat(20_000)}---\n\n# Leeks\n` },
      { path: 'Hostile/Slow.md', content: '> a\nb\n'.repeat(6_600) },
    ]
    const pushed = await garden.commit({
      parent: head,
      changes,
      message: 'Push',
      author: PERSON,
      committer: PERSON,
    })
    await garden.updateBranch(head, pushed)
    const page = await list({})
    expect(page.items.map((n) => n.title)).toEqual(
      expect.arrayContaining(['Deep leeks', 'Keys', 'Slow', 'North bed']),
    )
    expect((await list({ q: 'leeks' })).items.map((n) => n.path)).toContain('Beds/North.md')
    const budgets = ['depth', 'frontmatter_bytes', 'time']
    for (const [n, { path, content }] of changes.entries()) {
      await noteIsRead(garden, path)
      const note = await getNote(garden, null, { path })
      expect(note?.content).toMatchObject({
        data: { plain: { budget: budgets[n] } },
        children: [{ value: content }],
      })
    }
    expect(await getNote(garden, { folders: [], tags: ['bed'] }, { path: 'Hostile/Deep.md' })).toBeNull()
  })
})

describe('a list right after a push of notes that take long', () => {
  test('does not wait for them, shows a guest none too many, and says that it is not all', async () => {
    const head = await garden.head()
    const slow = Array.from({ length: 4 }, (_, n) => ({
      path: `Pushed/${n}.md`,
      content: `# Pushed ${n}\n\n${'> a\nb\n'.repeat(6_600)}`,
    }))
    const tagged = [
      { path: 'Pushed/Stated.md', content: '---\ntags: [sun]\n---\n# Stated\n' },
      { path: 'Pushed/zz Said.md', content: '# Said\n\nIn the #sun.\n' },
      { path: 'Pushed/Not said.md', content: '# Not said\n\n`#sun`\n' },
    ]
    const change = { changes: [...slow, ...tagged], message: 'Push', author: PERSON, committer: PERSON }
    await garden.updateBranch(head, await garden.commit({ parent: head, ...change }))
    const scope = { folders: [], tags: ['sun'] }
    const first = await listNotes(garden, scope, { limit: 50 })
    expect(first.reading).toBe(true)
    expect(first.items.filter(({ path }) => !/Stated|zz Said/.test(path))).toEqual([])
    expect(first.items.map(({ path }) => path)).toContain('Pushed/Stated.md')
    expect((await visibleGarden(garden, ZONE)).reading).toBe(false)
    // One note is read before all that waits.
    await noteIsRead(garden, 'Pushed/zz Said.md')
    const said = await getNote(garden, scope, { path: 'Pushed/zz Said.md' })
    expect(said).toMatchObject({ title: 'Said', tags: ['sun'], reading: true })
    expect(await getNote(garden, scope, { path: 'Pushed/Not said.md' })).toBeNull()
    const all = await list({}, scope)
    expect(all).toMatchObject({ reading: false, total: 2 })
  })
})
