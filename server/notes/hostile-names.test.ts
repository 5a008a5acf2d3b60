/**
 * Names as they are found on disks go the whole way: import, list, page, proposal, commit, zone, search, links. `NAMES=2000` tries more of
 * them, `SEED` others; E2E_GARDEN or `../shared/garden` beside the checkout goes the same way with the names and tags it has.
 */

import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { noteGetInput } from '#contracts/note.contract.ts'
import { createZoneRequest } from '#contracts/zone.contract.ts'
import { isNotePath, sameName } from '#domain/garden/garden-path.ts'
import { bareTag, isTag } from '#domain/garden/tag.rules.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { readWhole } from '#server/garden/garden-reading.ts'
import { noteAddress } from '#server/garden/linked-content.ts'
import { requestFault } from '#server/http/request-filter.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import {
  approve,
  editOf,
  type Kit,
  openKit,
  PERSON,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { gardenAt } from '#server/retrieval/garden-index.ts'
import { getNote } from './get-note.query.ts'
import { leftOut } from './left-out.query.ts'
import { linkingLine } from './linking-line.ts'
import { listNotes } from './list-notes.query.ts'
import { hostileNotes } from './testing/hostile-names.ts'

const NAMES = Number(process.env.NAMES ?? 100)
const SEED = Number(process.env.SEED ?? 26)
/** Of each hundred names so many are edited; a programme edits all. */
const EDITED = NAMES > 100 ? 1 : 5

const opened: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of opened.reverse()) await close()
})

/** A console over this folder, as `npm start` makes it. */
async function over(source: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'bloom-names-'))
  const report = await importGarden(source, path.join(folder, 'garden.git'), { author: PERSON })
  const database = await createTestDatabase()
  const kit = await openKit(folder, database)
  opened.push(
    () => database.drop(),
    () => rm(folder, { recursive: true }),
    kit.close,
  )
  return { kit, report }
}

/** Every path of the list, page by page, once every note is parsed: before that a zone of tags shows less. */
async function listed(kit: Kit, scope: Parameters<typeof listNotes>[1] = null): Promise<string[]> {
  await readWhole((await gardenAt(kit.garden)).notes)
  const paths: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof listNotes>> = await listNotes(kit.garden, scope, {
      limit: 100,
      ...(cursor ? { cursor } : {}),
    })
    paths.push(...page.items.map((item) => item.path))
    cursor = page.next_cursor
  }
  return paths
}

/** What the address of a note gives back, as a browser and the page's own decoding read it. */
const throughAddress = (note: string): string =>
  new URL(noteAddress(note), 'http://garden.example').pathname
    .split('/')
    .slice(2)
    .map(decodeURIComponent)
    .join('/')

/** Edits these notes by proposals, each of which must become one commit of that file alone. */
async function edit(kit: Kit, paths: readonly string[]): Promise<void> {
  const rows = []
  for (const note of paths) {
    const diff = { type: 'append', position: 'end', text: 'Edited.' }
    rows.push(await approve(kit, await propose(kit, editOf(`notes/${note}`, { diff }))))
  }
  await applyDue(kit.engine())
  for (const [i, row] of rows.entries()) {
    const { git_commit } = await rowOf(kit, row.proposal_id)
    expect(await kit.garden.changedPaths(git_commit ?? '')).toEqual([{ path: paths[i], kind: 'modified' }])
    expect((await kit.garden.read(paths[i] ?? ''))?.text).toMatch(/Edited\.\n$/)
  }
}

const byBytes = (paths: readonly string[]) =>
  [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
const foldersOf = (paths: readonly string[]) => [
  ...new Set(paths.map((note) => note.split('/').slice(0, -1).join('/')).filter(Boolean)),
]

test(`${NAMES} names of a generated garden (SEED=${SEED})`, { timeout: 30_000 + NAMES * 2_000 }, async () => {
  const notes = hostileNotes(NAMES, SEED)
  const good = byBytes(notes.flatMap((note) => (note.reason === null ? [note.path] : [])))
  const source = await mkdtemp(path.join(tmpdir(), 'bloom-hostile-'))
  opened.push(() => rm(source, { recursive: true }))
  for (const [i, { path: note }] of notes.entries()) {
    const to = good[(good.indexOf(note) + 1) % good.length] ?? ''
    await mkdir(path.join(source, path.dirname(note)), { recursive: true })
    const link = `[next](/${to.split('/').map(encodeURIComponent).join('/').replaceAll('(', '%28').replaceAll(')', '%29')})`
    await writeFile(path.join(source, note), `---\ntags: [t:${i % 7}]\n---\n# Note\n\nWort${i}x. ${link}\n`)
  }
  const { kit, report } = await over(source)

  expect(await listed(kit)).toEqual(good)
  const bad = notes.flatMap(({ path: note, reason }) => (reason ? [{ path: note, reason }] : []))
  const order = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)
  expect([...report.leftOut].sort(order)).toEqual([...bad].sort(order))
  expect((await leftOut(kit.garden)).total).toBe(bad.length)

  for (const [i, { path: note, reason }] of notes.entries()) {
    if (reason) continue
    expect(throughAddress(note)).toBe(note)
    const asked = { method: 'GET', url: noteAddress(note), headers: { host: 'garden.example' } }
    expect(requestFault(asked)).toBeNull()
    const seen = await getNote(kit.garden, null, noteGetInput.parse({ path: note }))
    const to = good[(good.indexOf(note) + 1) % good.length]
    expect([seen?.path, seen?.links.map((l) => l.path)]).toEqual([note, [to]])
    const typed = note.normalize('NFC')
    if (typed !== note) expect((await getNote(kit.garden, null, { path: typed }))?.path).toBe(note)
    const found = await listNotes(kit.garden, null, { q: `Wort${i}x`, limit: 1 })
    expect(found.items[0]?.path).toBe(note)
  }
  for (const folder of foldersOf(good)) {
    const zone = createZoneRequest.parse({ name: 'Z', folders: [folder.normalize('NFC')] })
    expect(await listed(kit, zone)).toEqual(good.filter((note) => note.startsWith(`${folder}/`)))
  }
  const edited = good.filter((_, i) => i % EDITED === 0)
  await edit(kit, edited)
  process.stdout.write(
    `${good.length} names taken, ${bad.length} left out with their reason; ${good.length} read, searched and linked, ` +
      `${foldersOf(good).length} folders as zones, ${edited.length} edited (SEED=${SEED})\n`,
  )
})

const GARDENS = [
  path.join(import.meta.dirname, '../../prisma/seed/garden'),
  process.env.E2E_GARDEN ?? path.join(import.meta.dirname, '../../../shared/garden'),
].filter(existsSync)

describe.each(GARDENS)('the garden of %s', (folder) => {
  test('every note, every tag and every name goes the way', { timeout: 120_000 }, async () => {
    const source = await mkdtemp(path.join(tmpdir(), 'bloom-real-'))
    opened.push(() => rm(source, { recursive: true }))
    await cp(folder, source, { recursive: true, preserveTimestamps: false })
    const files = (await readdir(source, { recursive: true }))
      .filter((name) => name.endsWith('.md'))
      .map(String)
    const { kit, report } = await over(source)
    expect(report.leftOut).toEqual([])
    const notes = byBytes(files.filter(isNotePath))
    expect(await listed(kit)).toEqual(notes)

    const stated = new Map<string, string[]>()
    for (const note of notes) {
      const text = await readFile(path.join(source, note), 'utf8')
      const yaml = /^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? ''
      const block = /^tags:\s*(?:\[([^\]]*)\]|((?:\n\s*-\s.*)+))/m.exec(yaml)
      const tags = (block?.[1]?.split(',') ?? block?.[2]?.split(/\n\s*-\s/) ?? [])
        .map((tag) => bareTag(tag.trim().replace(/^["']|["']$/g, '')))
        .filter(Boolean)
      for (const tag of tags) stated.set(tag, [...(stated.get(tag) ?? []), note])
    }
    for (const [tag, carrying] of stated) {
      expect(isTag(tag), tag).toBe(true)
      const zone = createZoneRequest.parse({ name: 'Z', tags: [tag] })
      const shown = await listed(kit, zone)
      expect(carrying.filter((note) => !shown.includes(note))).toEqual([])
      for (const note of shown) {
        const { tags = [] } = (await getNote(kit.garden, zone, { path: note })) ?? {}
        expect(tags.map((one) => one.toLowerCase())).toContain(tag.toLowerCase())
      }
    }
    expect(stated.size).toBeGreaterThan(0)
    for (const note of notes) expect(sameName(throughAddress(note), note)).toBe(true)
    await edit(kit, notes.slice(0, 3))
  })
})

test.each([
  ['- [ ] Ask [[People/Ann|Ann]] about [[Compost]]', 'Ask Ann about Compost'],
  ['> ## **See** [the bed](../Beds/North.md "North") `now`', 'See the bed now'],
  ['1. my_file_name and _this_ ![[Plan.png]]', 'my_file_name and this Plan.png'],
  ['🌱'.repeat(200), `${'🌱'.repeat(120)}…`],
  ['', ''],
])('the line %j of a link reads as %j', (line, shown) => {
  expect(linkingLine(`first\n${line}\nlast`, 2)).toBe(shown)
  expect(linkingLine(line, 5)).toBe('')
})
