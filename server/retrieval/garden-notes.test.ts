/** What of a garden is kept in memory, and what is read again after a commit. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as comeRound } from 'node:timers/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import { utf8Length } from '#domain/garden/garden-path.ts'
import { budgetFault } from '#domain/garden/markdown-measure.rules.ts'
import { NOTE_BUDGET } from '#domain/garden/note-budget.rules.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { getExcerpt, getNote } from '#server/notes/get-note.query.ts'
import { gardenIsRead } from '#server/notes/testing/garden-is-read.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { gardenAt } from './garden-index.ts'
import { readNotes, wholeNotes } from './garden-notes.ts'

const LINE = `${'грядка '.repeat(10)}\n`
const LONG = `---\ntags: [log]\n---\n# Log\n\n${LINE.repeat(4_000)}The end.\n`
const FILES = [
  { path: 'Beds/Log.md', content: LONG },
  { path: 'Beds/North.md', content: '# North\n' },
  { path: 'Beds/South.md', content: '# South\n' },
]
const author = { name: 'Owner', email: 'owner@garden.example' }
let garden: GitRepository

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bloom-garden-notes-'))
  const gitdir = join(folder, 'garden.git')
  await importGarden(await mkdtemp(join(folder, 'empty-')), gitdir, { author, extraFiles: FILES })
  garden = await openGitRepository(gitdir)
  return () => rm(folder, { recursive: true, force: true })
})

test('of a note beyond the budget so much is kept that it is beyond it still, and read whole for who shows it', async () => {
  const { notes, bytes } = await readNotes(garden, await garden.head())
  const [log] = notes
  const kept = log?.text ?? ''
  expect(LONG.startsWith(kept.replace(/\ufffd$/u, ''))).toBe(true)
  expect(utf8Length(kept)).toBeLessThan(NOTE_BUDGET.bytes + 8)
  expect(budgetFault(kept)).toEqual({ budget: 'bytes', limit: NOTE_BUDGET.bytes })
  expect(log?.bytes).toBe(Buffer.byteLength(LONG))
  expect(bytes).toBeLessThan(NOTE_BUDGET.bytes + 100)
  expect((await wholeNotes(garden, await garden.head(), notes)).map(({ text }) => text)).toEqual(
    FILES.map(({ content }) => content),
  )
  await gardenIsRead(garden)
  const note = await getNote(garden, null, { path: 'Beds/Log.md' })
  expect(note).toMatchObject({ markdown: LONG, lines: 4_006, tags: ['log'] })
  expect(note?.content).toMatchObject({ data: { plain: { budget: 'bytes' } }, children: [{ value: LONG }] })
  const cited = await getExcerpt(garden, null, { path: 'Beds/Log.md', from: 4_006, to: 4_006, around: 0 })
  expect(cited).toMatchObject({ changed: false, lines: [{ text: 'The end.' }] })
})

test('long notes are read whole a few at once', async () => {
  let [now, most] = [0, 0]
  const read = async (path: string) => {
    most = Math.max(most, ++now)
    await comeRound()
    now--
    return { text: path }
  }
  const long = { text: '', sha256: '', bytes: NOTE_BUDGET.bytes + 1 }
  const notes = Array.from({ length: 40 }, (_, n) => ({ ...long, path: `${n}.md` }))
  const whole = await wholeNotes({ read } as never, 'r', notes)
  expect([whole.map(({ text }) => text), most]).toEqual([notes.map(({ path }) => path), 8])
})

test('a commit costs what it changed: the other texts are those of the garden before', async () => {
  const before = await gardenAt(garden)
  const change = { message: 'Move', author, committer: author, parent: before.revision }
  const changes = [
    { path: 'Beds/North.md', content: '# North again\n' },
    { path: 'Beds/South.md', content: null },
    { path: 'Beds/Southern.md', content: '# South\n' },
  ]
  await garden.updateBranch(before.revision, await garden.commit({ ...change, changes }))
  const read = vi.spyOn(garden, 'read')
  const after = await gardenAt(garden)
  expect(read.mock.calls.map(([path]) => path)).toEqual(['Beds/North.md'])
  expect(after.byPath.get('Beds/Log.md')).toBe(before.byPath.get('Beds/Log.md'))
  expect(after.notes.map(({ path, text }) => [path, text.slice(0, 13)])).toEqual([
    ['Beds/Log.md', LONG.slice(0, 13)],
    ['Beds/North.md', '# North again'],
    ['Beds/Southern.md', '# South\n'],
  ])
})
